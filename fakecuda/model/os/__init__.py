"""OS processes and threads of a machine, and their interruptions."""
