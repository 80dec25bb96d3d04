"""How calls come in: bindings for Python, libraries for C, and shared machines for other OS processes."""
