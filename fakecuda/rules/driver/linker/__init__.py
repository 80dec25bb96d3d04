"""Linkers, which combine several inputs into one image."""
