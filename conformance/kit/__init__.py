"""What cases are written with: worlds, programs, names, and how answers compare."""
