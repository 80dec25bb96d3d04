"""Orders of a program's steps, and the search for an order that fails.

Steps belong to actors, streams and deaths.
"""
