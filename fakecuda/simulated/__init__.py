"""The simulated machine as its users see it: the model with its surfaces, and what a test can do with it from outside."""
