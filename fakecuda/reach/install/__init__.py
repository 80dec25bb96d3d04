"""Installation of a machine for programs that do not know fakecuda.

Modules, libraries and library lookups.
"""
