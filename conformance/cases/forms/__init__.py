"""Streams: how work is ordered, and what it waits for."""
