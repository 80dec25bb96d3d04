"""How the suite runs: checks, groups of them as pytest's items, processes that take them, and the report."""
