"""Attributes of pointers and ranges, prefetches and advice."""
