"""Cases of the primary context of a device."""
