"""Cases of arrays."""
