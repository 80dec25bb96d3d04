"""Values of options: what a check at the end of a machine does, which races are found, and what becomes of kernels."""

from __future__ import annotations

MODES = ("report", "error", "ignore")
"""List what was found, fail for it, or do nothing."""
STRICT = "strict"
"""``races``: find races by the manual's word. ``True`` finds those by what drivers do, ``False`` none."""
KERNELS = ERROR, SKIP, RUN = "error", "skip", "run"
"""What becomes of a launch of a kernel without a Python function: KernelNotDefined, or it is skipped, or its PTX runs."""
HANDLES = APART, CARD = "apart", "card"
"""Which handles new objects get: handles that no object has had, or those of destroyed objects again, as on a card."""


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
