"""Cases of the chapter linker."""
