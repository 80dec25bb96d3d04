"""Faults: calls that a machine refuses because a test says so.

The calls themselves are correct.
A machine without faults pays nothing for this package.
"""
