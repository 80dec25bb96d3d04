"""How fast the parts are; run with pytest benchmarks, or python -m benchmarks.report for the ratios."""
