"""Work of a machine: streams, events, launches, waits, and the order of accesses."""
