"""The primary context of a device."""
