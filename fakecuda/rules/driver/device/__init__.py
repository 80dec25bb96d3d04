"""Devices, and queries of devices."""
