"""cuModuleUnload: unload a module with its functions and its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import module_effects
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.module.handle import module_of
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

MODULE_IS_ITS_OWN = Rule(
    "the module does not come from cuLibraryGetModule",
    Result.NOT_PERMITTED,
    manual(
        "cuModuleUnload",
        "Attempting to unload a module which was obtained from the Library Management API such as cuLibraryGetModule will "
        "return CUDA_ERROR_NOT_PERMITTED",
    ),
    fix="call cuLibraryUnload for the library instead",
)


@DRIVER.op("cuModuleUnload")
def module_unload(call: Call, handle: int) -> None:
    """Unload a module after the work of its context is done. No current context is needed."""
    # CHECK
    module = module_of(call, handle)
    if module.library is not None:
        raise MODULE_IS_ITS_OWN.broken(module=module)
    waited(module.context, by=orders.UNLOADED, last=True)
    race.unloaded(call, module.variables.values())
    # EFFECT
    module_effects.unload(call.process, module, history.here())
