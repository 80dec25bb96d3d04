"""Cases of streams: work in order, waits, and captures."""
