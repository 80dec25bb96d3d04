"""Orders: what actors of a program, streams and deaths do one after the other, as a schedule says; and the search for one that fails."""
