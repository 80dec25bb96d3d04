"""OS processes and threads of a machine, and what interrupts them."""
