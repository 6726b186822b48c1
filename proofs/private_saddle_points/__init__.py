"""Gonzalez, Guzman and Paquette, private stochastic saddle points: one module a part of the paper."""
