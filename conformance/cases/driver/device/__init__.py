"""Devices and what they report."""
