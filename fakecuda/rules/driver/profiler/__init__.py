"""The profiler of a context."""
