"""The state of the simulated machine; the rules are in :mod:`fakecuda.rules`."""
