"""cuLinkDestroy: destroy a linker with its image; modules loaded from it remain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import linking
from fakecuda.rules.driver.linker.handle import given, of_its_thread
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuLinkDestroy")
def link_destroy(call: Call, state: int) -> None:
    """Destroy a linker."""
    # CHECK
    given(call, state)
    linker = of_its_thread(call, state)
    # EFFECT
    linking.end(linker, history.here())
