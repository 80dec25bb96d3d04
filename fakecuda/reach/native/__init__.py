"""The native door: a ``libcuda.so.1`` whose functions are those of a simulated machine."""
