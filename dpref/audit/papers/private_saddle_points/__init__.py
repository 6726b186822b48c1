"""Mirror descent for differentially private stochastic saddle points (Gonzalez, Guzman and Paquette 2024)."""
