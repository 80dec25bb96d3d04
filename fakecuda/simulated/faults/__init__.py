"""Faults: calls that a test has refused, although nothing is wrong with them.

A machine without faults knows nothing of this package: its calls take the way that they take without it.
"""
