"""Cases of the chapter profiler."""
