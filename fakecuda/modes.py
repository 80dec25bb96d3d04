"""Values of options: modes of checks, races, and kernels."""

from __future__ import annotations

MODES = ("report", "error", "ignore")
"""Modes of a check: report, fail, or ignore."""
STRICT = "strict"
"""The value of ``races`` for races by the manual's word."""
KERNELS = ERROR, SKIP, RUN = "error", "skip", "run"
"""Modes for launches without a Python function: error, skip, or run the PTX."""
HANDLES = APART, CARD = "apart", "card"
"""Modes of new handles: never used before, or reused as on a card."""


def wrong(name: str, mode: object, allowed: tuple[str, ...] = MODES) -> str:
    """Return what is wrong with the mode of an option; an empty text if it is allowed.

    Args:
        name: The option's name, for the text.
        mode: The value.
        allowed: The allowed modes.
    """
    if mode in allowed:
        return ""
    from fakecuda.near import nearest  # noqa: PLC0415 - the plugin, which is always loaded, needs it for an error only

    return f"{name}={mode!r}: {nearest(str(mode), allowed, 'mode')}"


def wrong_races(value: object) -> str:
    """Return what is wrong with a value of ``races``; an empty text if it is True, False or ``STRICT``."""
    if isinstance(value, bool) or value == STRICT:
        return ""
    from fakecuda.near import nearest  # noqa: PLC0415 - as above

    return f"races={value!r}: {nearest(str(value), ('True', 'False', STRICT), 'value of this option')}"
