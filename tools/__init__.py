"""The tools of a checkout, which no wheel has: what writes generated files, and what begins a new call."""
