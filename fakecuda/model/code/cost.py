"""Count what reading an image costs, for the loop that bounds it."""

from __future__ import annotations

from attrs import define


@define
class Cost:
    """What was read and made since the counts were set to 0.

    Attributes:
        bytes_read: Bytes of images that a reader has looked at; bytes that it looks at twice count twice.
        tokens: Tokens of PTX.
        bytes_produced: Bytes that a reader has made: decompressed images, names, data of variables.
    """

    bytes_read: int = 0
    tokens: int = 0
    bytes_produced: int = 0


spent = Cost()
