"""Kernels and variables of compiled programs, named by host addresses.

A program of nvcc registers them at its start, when there is no device yet. Their image becomes a library of the process
when its code is first used, and a module of a context when the context first asks for it. A call that takes a kernel also
takes a cudaKernel_t: an address that no image registers is taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import module_effects
from fakecuda.model.memory.space import READ
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.library.handle import kernel_of, known_kernel_of
from fakecuda.rules.driver.module.image import parsed
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.code import Image
    from fakecuda.model.code.module import Kernel, Library
    from fakecuda.model.code.program import Symbol
    from fakecuda.model.os.process import Process

HOST_FUNCTION_IS_REGISTERED = Rule(
    "the host function (stub) of a kernel belongs to a loaded program or library that registered the kernel",
    Result.INVALID_HANDLE,
    observed(
        "cudaLaunchKernel",
        "the library takes any other address for a cudaKernel_t, and answers cudaErrorInvalidResourceHandle if the "
        "memory there can be read",
    ),
    fix="pass the name of a __global__ function, and link the file that defines it to the same shared libcudart",
)
KERNEL_IS_COMPILED = Rule(
    "the image in which the program registered a kernel contains code for that kernel",
    Error.INVALID_DEVICE_FUNCTION,
    manual("cudaError_t", "is not compiled for the proper device architecture"),
    fix="compile the kernel for the device's architecture with nvcc -arch or -gencode",
)
SYMBOL_IS_REGISTERED = Rule(
    "`symbol` is a variable that a loaded program or library registered",
    Error.INVALID_SYMBOL,
    manual("cudaError_t", "This indicates that the symbol name/identifier passed to the API call is not a valid name"),
    fix="pass a __device__, __constant__ or __managed__ variable itself, not its address or its name as text",
)


def function_at(process: Process, address: int) -> Symbol | None:
    """Return the kernel that a host function stands for. None if nothing registers the function."""
    return process.system.program.functions.get(address)


def variable_at(process: Process, address: int) -> Symbol | None:
    """Return the variable that a host address stands for. None if nothing registers the address."""
    return process.system.program.variables.get(address)


def _code(call: Call, symbol: Symbol) -> bytes:
    """Return the image of a symbol.

    Raises:
        RetryCall: The image was fetched from another OS process now.
    """
    load = call.process.system.load
    return symbol.binary.read(lambda address, size: load((address, size))[0])


@guard
def contents(call: Call, symbol: Symbol) -> Image:
    """Return what a symbol's image holds, which is not loaded by that."""
    return parsed(call, _code(call, symbol), call.process.devices[0])


@guard
def library_of_symbol(call: Call, symbol: Symbol) -> Library:
    """Return the library that a symbol's image is in the calling process."""
    return module_effects.library_of_program(call.process, symbol.binary, _code(call, symbol), history.here())


@guard
def registered_kernel(call: Call, symbol: Symbol) -> Kernel:
    """Return a kernel that a program registers."""
    entry = contents(call, symbol).entries.get(symbol.name)
    if entry is None:
        raise KERNEL_IS_COMPILED.broken(name=symbol.name)
    return module_effects.kernel_of(library_of_symbol(call, symbol), entry)


@guard
def handle_at(call: Call, func: int) -> int:
    """Return the handle of the kernel that a host function stands for; of another value, that value."""
    symbol = function_at(call.process, func)
    return func if symbol is None else registered_kernel(call, symbol).handle


def host_function_of(process: Process, kernel: Kernel) -> int | None:
    """Return the host function that stands for a kernel. None if no program registers the kernel."""
    known = process.runtimes.libraries
    for address, symbol in process.system.program.functions.items():
        if symbol.name == kernel.entry.name and known.get(symbol.binary) is kernel.library:
            return address
    return None


@guard
def kernel_at(call: Call, func: int) -> Kernel:
    """Return the kernel of a host function, or of a cudaKernel_t; it is not null."""
    symbol = function_at(call.process, func)
    if symbol is not None:
        return registered_kernel(call, symbol)
    known = known_kernel_of(call, func)
    if known is not None:
        return known
    if call.process.system.reaches(func, 1, READ):
        raise HOST_FUNCTION_IS_REGISTERED.broken(function=func)
    return kernel_of(call, func)


@guard
def variable_of(call: Call, symbol: int) -> tuple[Symbol, int]:
    """Return the variable that a host address stands for, and its bytes."""
    found = variable_at(call.process, symbol)
    variable = None if found is None else contents(call, found).variables.get(found.name)
    if found is None or variable is None:
        raise SYMBOL_IS_REGISTERED.broken(symbol=symbol, name=None if found is None else found.name)
    return found, variable.size
