"""Streams: work in order, waits, and captures."""
