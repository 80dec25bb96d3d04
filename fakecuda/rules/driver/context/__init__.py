"""Contexts, and the stacks of current contexts."""
