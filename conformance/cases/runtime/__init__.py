"""Cases of the runtime API: its own rules, and a valid call of every function."""
