"""Cases of the chapter texture."""
