"""Multicast objects: a write to one address reaches the memory of several devices."""
