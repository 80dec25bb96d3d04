"""cuLinkDestroy: a linker ends, with its image; what was loaded of that stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.model import history, linking
from fakecuda.rules.driver.linker.handle import linker_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuLinkDestroy")
def link_destroy(call: Call, state: int) -> None:
    """End a linker."""
    # CHECK
    linker = linker_of(call, state)
    # EFFECT
    linking.end(linker, history.here())
