"""The tools of cases: worlds, programs, names, and comparison of answers."""
