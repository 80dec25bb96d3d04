"""Programs without Python on a shared machine.

A client in C, which a C compiler builds, and its tables.
"""
