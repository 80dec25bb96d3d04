"""Events: recording, waiting, timing."""
