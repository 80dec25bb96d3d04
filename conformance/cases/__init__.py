"""The cases: a valid invocation of each call, and single changes with the answer."""
