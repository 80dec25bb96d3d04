"""Kernels and variables of compiled programs, named by host addresses.

A program of nvcc registers them at its start, when there is no device yet. Their image becomes a library of the process
when its code is first used, and a module of a context when the context first asks for it. A call that takes a kernel also
takes a cudaKernel_t: an address that no image registers is taken for one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.code import cubin_writer, linking, module_effects, reading
from fakecuda.model.code import image as images
from fakecuda.model.code.code import OTHER_DEVICE, Image, Refused
from fakecuda.model.code.linking import Input
from fakecuda.model.memory.space import READ
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.library.handle import kernel_of, known_kernel_of
from fakecuda.rules.driver.module.image import newest, parsed, read, unpacked
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.code.module import Kernel, Library
    from fakecuda.model.code.program import Symbol
    from fakecuda.model.context import Device
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
PARTS_DEFINE_ALL = Rule(
    "the object files of linked code (-rdc=true) define for the device each function and variable that they use",
    Result.INVALID_SOURCE,
    observed(
        "cudaLaunchKernel",
        "the library answers cudaErrorInvalidSource if the linked code has nothing for the device, and the object file "
        "that defines a function has no PTX or cubin for it",
    ),
    fix="compile each object file for the device's architecture, or with PTX, with nvcc -gencode",
)
PART_HAS_CODE = Rule(
    "the object file of a kernel or variable of linked code (-rdc=true) has PTX or a cubin for the device",
    Result.NOT_FOUND,
    observed(
        "cudaLaunchKernel",
        "the library answers cudaErrorSymbolNotFound if the linked code, and the object file of the kernel, have nothing "
        "for the device",
    ),
    fix="compile each object file for the device's architecture, or with PTX, with nvcc -gencode",
)
OF_THE_DRIVER = ("__cuda_syscall_", "cnp")
"""Prefixes of names that the driver defines for the device runtime library."""
SYMBOL_IS_REGISTERED = Rule(
    "`symbol` is a variable that a loaded program or library registered",
    Error.INVALID_SYMBOL,
    manual("cudaError_t", "This indicates that the symbol name/identifier passed to the API call is not a valid name"),
    fix="pass a __device__, __constant__ or __managed__ variable itself, not its address or its name as text",
)


def function_at(process: Process, address: int) -> Symbol | None:
    """Return the kernel symbol of a host function; None if it is not registered."""
    return process.system.program.functions.get(address)


def variable_at(process: Process, address: int) -> Symbol | None:
    """Return the variable symbol of a host address; None if it is not registered."""
    variables, libraries = process.system.program.variables, process.runtimes.libraries
    found = variables.get(address)
    if found is None:
        for symbol in variables.values():
            library = libraries.get(symbol.binary)
            placed = None if library is None else library.variables.get(symbol.name)
            if placed is not None and placed.start == address:
                return symbol
    return found


@guard
def _part(call: Call, data: bytes, device: Device) -> Image:
    """Return the code of a relocatable image for a device; empty if it has none."""
    try:
        with unpacked():
            compiler = newest(call.machine.profile.driver_version)
            return reading.read(call, images.relocatable, images.FATBINARY, data, device.architecture, compiler)
    except Refused as caught:
        why = caught.why
    return Image({}, {}) if why == OTHER_DEVICE else parsed(call, data, device)


@guard
def _linked(call: Call, parts: list[bytes], device: Device) -> bytes:
    """Link relocatable images for a device, and return the image."""
    inputs = [Input(str(number), _part(call, data, device)) for number, data in enumerate(parts)]
    missing = [name for name in linking.needed(inputs) if not name.startswith(OF_THE_DRIVER)]
    if missing:
        raise PARTS_DEFINE_ALL.broken(names=missing)
    made = [one.image for one in inputs]
    return cubin_writer.written(linking.together(made), device.architecture, [one.code for one in made])


@guard
def _code(call: Call, symbol: Symbol) -> bytes:
    """Return the image of a symbol, linked again if it has no code for the device.

    Raises:
        RetryCall: The image was fetched from another OS process now.
    """
    load, binary, device = call.process.system.load, symbol.binary, call.process.devices[0]
    data = binary.read(lambda address, size: load((address, size))[0])
    parts = binary.read_parts(lambda address, size: load((address, size))[0])
    if not parts:
        return data
    if device.architecture not in binary.linked:
        try:
            read(call, data, device)
        except Refused as refused:
            data = _linked(call, parts, device) if refused.why == OTHER_DEVICE else data
        binary.keep_linked(device.architecture, data)
    return binary.linked[device.architecture]


def _unlinked(symbol: Symbol, device: Device) -> bool:
    """Return whether the image of a symbol was linked again for a device."""
    return symbol.binary.linked.get(device.architecture, symbol.binary.content) != symbol.binary.content


@guard
def contents(call: Call, symbol: Symbol) -> Image:
    """Return the content of a symbol's image, without loading it."""
    return parsed(call, _code(call, symbol), call.process.devices[0])


@guard
def library_of_symbol(call: Call, symbol: Symbol) -> Library:
    """Return the library of a symbol's image in the calling process."""
    return module_effects.library_of_program(call.process, symbol.binary, _code(call, symbol), history.here())


@guard
def registered_kernel(call: Call, symbol: Symbol) -> Kernel:
    """Return the kernel of a registered symbol."""
    entry = contents(call, symbol).entries.get(symbol.name)
    if entry is None:
        if _unlinked(symbol, call.process.devices[0]):
            raise PART_HAS_CODE.broken(name=symbol.name)
        raise KERNEL_IS_COMPILED.broken(name=symbol.name)
    return module_effects.kernel_of(library_of_symbol(call, symbol), entry)


@guard
def handle_at(call: Call, func: int) -> int:
    """Return the kernel handle of a host function; any other value is returned as is."""
    symbol = function_at(call.process, func)
    return func if symbol is None else registered_kernel(call, symbol).handle


def host_function_of(process: Process, kernel: Kernel) -> int | None:
    """Return the host function of a kernel; None if no program registers it."""
    known = process.runtimes.libraries
    for address, symbol in process.system.program.functions.items():
        if symbol.name == kernel.entry.name and known.get(symbol.binary) is kernel.library:
            return address
    return None


@guard
def kernel_at(call: Call, func: int) -> Kernel:
    """Return the kernel of a host function or a cudaKernel_t, which must not be null."""
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
    """Return the variable symbol of a host address, and its size in bytes."""
    found = variable_at(call.process, symbol)
    variable = None if found is None else contents(call, found).variables.get(found.name)
    if found is not None and variable is None and _unlinked(found, call.process.devices[0]):
        raise PART_HAS_CODE.broken(name=found.name)
    if found is None or variable is None:
        raise SYMBOL_IS_REGISTERED.broken(symbol=symbol, name=None if found is None else found.name)
    return found, variable.size
