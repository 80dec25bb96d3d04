"""Benchmarks.

``pytest benchmarks`` runs them; ``python -m benchmarks.report`` prints the ratios.
"""
