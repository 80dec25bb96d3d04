"""Programs without Python on a shared machine: a client in C, built where there is a compiler, and its tables."""
