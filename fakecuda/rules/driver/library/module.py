"""Rules of calls that use a library's code: the device can load its image."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model import history
from fakecuda.model.code import module_effects
from fakecuda.model.code.code import Refused
from fakecuda.rules.core import guard
from fakecuda.rules.driver.module.image import VARIABLES_HAVE_ROOM, parsed, read
from fakecuda.rules.driver.module.module_load import (
    TARGET,
    TARGET_IS_THE_DEVICE_S,
    read_and_compiled_for,
    runs,
    target_of,
)
from fakecuda.rules.driver.stream.order import waited
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Image
    from fakecuda.model.code.module import Library, Module
    from fakecuda.model.context import Context


@guard
def image_of(call: Call, library: Library) -> Image:
    """Return the image of a library for the process's first device."""
    device = call.process.devices[0]
    return parsed(call, library.data, device, read_and_compiled_for(call, device, library.data, library.jit))


@guard
def run_by(library: Library, context: Context) -> None:
    """Check that the device of a context can run a library's CU_JIT_TARGET."""
    if not runs(context.device, library.jit):
        raise TARGET_IS_THE_DEVICE_S.broken(target=library.jit[TARGET], device=context.device)


@guard
def own_module_in(call: Call, library: Library, context: Context) -> Module:
    """Return a library's module in a context whose device can run its CU_JIT_TARGET."""
    run_by(library, context)
    return module_in(call, library, context)


@guard
def module_in(call: Call, library: Library, context: Context) -> Module:
    """Return a library's module in a context; load it on first use.

    Raises:
        FakeCudaError: It is not, on a machine of unlike devices, or by CU_JIT_TARGET.
    """
    module = library.modules.get(context)
    if module is None:
        if not runs(context.device, library.jit):
            msg = (
                f"{library} is compiled for CU_JIT_TARGET {target_of(library.jit)}, which {context.device} does not run, "
                "and what a driver answers then is not modelled: leave CU_JIT_TARGET out"
            )
            raise FakeCudaError(msg)
        try:
            image = read(call, library.data, context.device)
        except Refused as refused:
            msg = (
                f"{library} has no code for {context.device}. A library for some of the machine's devices only is "
                f"not modelled: add code for {context.device} to it"
            )
            raise FakeCudaError(msg) from refused
        waited(context, by=orders.LOADED)
        module = module_effects.load(context, image, history.here(), library)
        if module is None:
            raise VARIABLES_HAVE_ROOM.broken(library=library)
    return module
