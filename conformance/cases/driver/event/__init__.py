"""Cases of events: recording, waiting, timing."""
