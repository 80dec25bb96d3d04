"""Several OS processes on one simulated machine."""
