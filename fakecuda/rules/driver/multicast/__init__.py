"""Multicast objects: what is written at one address reaches the memory of several devices."""
