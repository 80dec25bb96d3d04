"""Cases of the chapter library."""
