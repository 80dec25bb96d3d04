"""Older forms of functions of the driver API."""
