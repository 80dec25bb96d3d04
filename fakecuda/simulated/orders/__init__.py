"""Orders: one run of a program, in which a schedule says who comes next of its actors, streams and deaths."""
