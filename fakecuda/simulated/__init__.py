"""The simulated machine for its users.

The model with its surfaces, and what a test can do with a machine.
"""
