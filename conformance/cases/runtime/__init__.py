"""Cases of the runtime API: each rule of its own broken once and held once, and a valid call of every function."""
