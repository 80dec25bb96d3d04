"""Comparison of race detection with all interleavings of small programs."""
