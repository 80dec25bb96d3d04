"""Cases of contexts, and of the stacks of current contexts."""
