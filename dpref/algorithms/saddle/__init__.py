"""Private stochastic saddle points on simplices by vertex-sampling mirror descent."""
