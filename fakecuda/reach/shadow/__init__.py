"""A library that stands before the real driver and records the calls of a program.

A C library and its tables, the ring between it and the reader, and the reader.
"""

WITH = "FAKECUDA_RECORDED"
"""The variable that tells a program of the library's folder."""
