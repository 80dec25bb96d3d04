"""Cases of the chapter checkpoint."""
