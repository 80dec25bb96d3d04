"""Cases of the chapter module."""
