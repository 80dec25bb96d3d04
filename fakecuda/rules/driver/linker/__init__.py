"""Linkers: what makes one image of several."""
