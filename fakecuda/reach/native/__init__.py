"""The native door: a ``libcuda.so.1`` whose functions reach a simulated machine."""
