"""Cases of older forms of driver functions."""
