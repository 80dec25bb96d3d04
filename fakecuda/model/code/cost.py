"""Counters of the work of reading an image, for a test that limits it."""

from __future__ import annotations

from attrs import define


@define
class Cost:
    """Counters since the last reset.

    Attributes:
        bytes_read: Bytes of images that a reader has examined. Bytes that it examines twice count twice.
        tokens: Tokens of PTX.
        bytes_produced: Bytes that a reader has made: decompressed images, names, initial values of variables.
    """

    bytes_read: int = 0
    tokens: int = 0
    bytes_produced: int = 0


spent = Cost()
