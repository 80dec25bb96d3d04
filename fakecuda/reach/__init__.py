"""The ways by which calls reach a machine.

Bindings for Python, libraries for C, and shared machines for other OS processes.
"""
