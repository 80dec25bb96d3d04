"""The environment variables for the programs of this OS process.

Through them, programs that it starts find its last offered machine.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from fakecuda.reach.remote import VARIABLE

if TYPE_CHECKING:
    from fakecuda.reach.remote.owner.endpoint import Offer

LIBRARY_PATH = "LD_LIBRARY_PATH"

_shown: list[Offer] = []
_before: list[str | None] = []
"""The variable's value before the first offer: this process may itself be a program of another machine."""


def variables(offer: Offer) -> dict[str, str]:
    """Return the variables for a program to find a machine and its driver library."""
    return {VARIABLE: offer.address, LIBRARY_PATH: os.pathsep.join([offer.libraries, *_others(offer)])}


def add(offer: Offer) -> None:
    """Set the variables of an offer in this process. A second call does nothing."""
    if offer in _shown:
        return
    if not _shown:
        _before[:] = [os.environ.get(VARIABLE)]
    os.environ.update(variables(offer))
    _shown.append(offer)


def remove(offer: Offer) -> bool:
    """Set the variables as they would be without an offer.

    The program's own changes to them are kept.

    Returns:
        Whether they were set.
    """
    if offer not in _shown:
        return False
    named, others = os.environ.get(VARIABLE), _others(offer)
    _shown.remove(offer)
    last = _shown[-1] if _shown else None
    if named == offer.address:
        _set(VARIABLE, last.address if last else _before[0])
    _set(LIBRARY_PATH, os.pathsep.join([*([last.libraries] if last else []), *others]) or None)
    return True


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


def _others(offer: Offer) -> list[str]:
    """Return the program's own directories of LD_LIBRARY_PATH."""
    own = {"", offer.libraries, *(one.libraries for one in _shown)}
    return [part for part in os.environ.get(LIBRARY_PATH, "").split(os.pathsep) if part not in own]
