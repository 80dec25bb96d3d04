"""Cases of the chapter execution."""
