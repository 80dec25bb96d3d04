"""The state of the simulated machine. :mod:`fakecuda.rules` has the rules."""
