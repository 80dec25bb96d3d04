"""OS processes and threads of a machine, and what can interrupt them."""
