"""How calls come in.

Bindings for Python, libraries for C, and shared machines for other OS processes.
"""
