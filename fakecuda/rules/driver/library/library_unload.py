"""cuLibraryUnload: unload a library with its kernels and its modules in contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import module_effects
from fakecuda.rules.driver.library.handle import library_of
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuLibraryUnload")
def library_unload(call: Call, handle: int) -> None:
    """Unload a library after the work of the contexts that have its variables is done."""
    # CHECK
    library = library_of(call, handle)
    placed = [context for context, module in library.modules.items() if module.image.variables]
    for context in list(call.process.contexts.values()) if library.variables else placed:
        waited(context, by=orders.UNLOADED, last=True)
    race.unloaded(call, library.variables.values())
    for module in library.modules.values():
        race.unloaded(call, module.variables.values())
    # EFFECT
    module_effects.unload_library(library, history.here())
