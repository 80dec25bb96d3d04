"""Streams: the order of work, and waits."""
