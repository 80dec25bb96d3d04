"""Running the suite: checks, pytest items, worker processes, and the report."""
