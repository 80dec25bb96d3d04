"""Repeated runs of a program.

The sweep over its faults, and the search over its orders.
"""
