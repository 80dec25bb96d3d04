"""realcuda, on stand-in drivers and over the simulated one."""
