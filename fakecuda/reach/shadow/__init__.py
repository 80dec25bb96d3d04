"""The recording library, which wraps the real driver and records calls.

A C library and its tables, the ring between it and the reader, and the reader.
"""

WITH = "FAKECUDA_RECORDED"
"""The environment variable with the library's folder."""
