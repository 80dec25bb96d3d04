"""Mutants of the rules, which the suite must notice."""
