"""Orders of actors, streams and deaths: what a search over them finds, and what it leaves out."""
