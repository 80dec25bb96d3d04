"""Effects that load and unload modules and libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.code.code import MANAGED, function_address
from fakecuda.model.code.module import Function, Kernel, Library, Module
from fakecuda.model.context import Context
from fakecuda.model.effect import effect
from fakecuda.model.memory import headroom, memory_effects, transfer
from fakecuda.model.memory.space import WRITE
from fakecuda.model.memory.transfer import bytes_address
from fakecuda.model.os import handles

if TYPE_CHECKING:
    from fakecuda.model.code.code import Entry, Image
    from fakecuda.model.code.code import Variable as Declared
    from fakecuda.model.code.program import Binary
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.memory import Variable
    from fakecuda.model.os.process import Process


@effect(makes="Module")
def load(
    context: Context, image: Image, stack: Stack, library: Library | None = None, *, debug: bool = False
) -> Module | None:
    """Load an image into a context, and return the module.

    None if there is no room for its variables.

    Args:
        context: The context.
        image: The contents of the image.
        stack: The stack that loads it.
        library: The library that it belongs to. None for a module by itself.
        debug: Whether the module was compiled with debug information.

    Raises:
        FakeCudaError: Initial values would exceed the memory's cap; nothing has changed.
        MemoryError: The OS process has too little memory for the variables; nothing has changed.
    """
    process = context.process
    _check(image)
    headroom.make_room_for(len(image.variables))
    known = library.variables if library is not None else {}
    managed = known or _place(_shared_memory(process) if library is not None else context, image, stack)
    own = None
    try:
        own = _place(context, image, stack, managed) if managed is not None else None
    finally:
        if own is None and managed and managed is not known:
            _take_back(process, managed, stack)
    if managed is None or own is None:
        return None
    module = Module(process.machine.territory.new_handle(), context, image, library, debug=debug, created=stack)
    module.variables.update(own | managed)
    context.modules[module.handle] = process.loaded[module.handle] = module
    if library is not None:
        library.variables = managed
        library.modules[context] = module
    return module


@effect(beside="a refused call writes the reason to the log")
def log(process: Process, address: int, size: int, text: str) -> None:
    """Write text to a log buffer, cut to its size, with a NUL.

    Args:
        process: The process.
        address: The address of the log. 0 without a log.
        size: Its bytes.
        text: The text.
    """
    system = process.system
    if address and size and system.reaches(address, size, WRITE):
        data = text.encode()[: size - 1] + b"\0"
        transfer.write(system.pieces(address, len(data)), bytes_address(data))


@effect(beside="a look-up places them")
def share(library: Library, image: Image, stack: Stack) -> dict[str, Variable] | None:
    """Return the managed variables of a library, which its modules share.

    None if there is no room for them.

    Raises:
        FakeCudaError: As :func:`load`.
        MemoryError: As :func:`load`.
    """
    if not library.variables:
        _check(image)
        headroom.make_room_for(len(image.variables))
        placed = _place(_shared_memory(library.process), image, stack)
        if placed is None:
            return None
        library.variables = placed
    return library.variables


def _check(image: Image) -> None:
    """Check that all addresses in initial values of variables are known.

    Raises:
        FakeCudaError: One is not.
    """
    for one in image.variables.values():
        for address in one.addresses:
            target = image.variables.get(address.name)
            if not address.function and (target is None or (one.kind == MANAGED and target.kind != MANAGED)):
                why = "which the image does not define" if target is None else "and that is in memory of a context"
                fix = (
                    "link code that defines it"
                    if target is None
                    else f"make {address.name} managed, or set {one.name} later"
                )
                msg = f"variable {one.name} begins with the address of {address.name}, {why}. fakecuda does not load this: {fix}"
                raise FakeCudaError(msg)


def _shared_memory(process: Process) -> Context:
    """Return a stand-in context for managed variables of a process's libraries."""
    if process.shared is None:
        process.shared = Context(0, process, process.devices[0], 0, 0)
    return process.shared


def _place(
    context: Context, image: Image, stack: Stack, known: dict[str, Variable] | None = None
) -> dict[str, Variable] | None:
    """Place an image's managed or other variables, with their initial values.

    None if there is no room for them.

    Args:
        context: The context, or the stand-in for one.
        image: The image.
        stack: The stack that asks for them.
        known: The managed variables, to place the others. None to place the managed ones.

    Raises:
        FakeCudaError: The memory would exceed its cap, or cannot be opened; nothing has changed.
    """
    managed = known is None
    place = memory_effects.place_managed_variable if managed else memory_effects.place_variable
    declared = [one for one in image.variables.values() if (one.kind == MANAGED) is managed]
    variables: dict[str, Variable] = {}
    done = False
    try:
        for one in declared:
            placed = place(context, max(one.size, 1), stack)
            if placed is None:
                return None
            variables[one.name] = placed
        for one in declared:
            if one.data:
                _fill(variables[one.name], _bytes_of(one, variables | (known or {})))
        done = True
    finally:
        if not done:
            _take_back(context.process, variables, stack)
    return variables


def _take_back(process: Process, variables: dict[str, Variable], stack: Stack) -> None:
    """Free variables that no call has returned, because others have no room."""
    known, process.freed = process.freed, {}  # keep the records of what was freed at these addresses before
    _free(process, variables, stack)
    process.freed = known


def _free(process: Process, variables: dict[str, Variable], stack: Stack) -> None:
    for placed in reversed(variables.values()):  # so that the next variables get the same places
        memory_effects.free(process, placed, stack)


def _bytes_of(one: Declared, placed: dict[str, Variable]) -> bytes:
    """Return the initial bytes of a variable, now that all addresses are known."""
    if not one.addresses:
        return one.data
    data = bytearray(one.data)
    for address in one.addresses:
        start = function_address(address.name) if address.function else placed[address.name].start
        made = address.stored(start)
        data[address.at : address.at + len(made)] = made
    return bytes(data)


def _fill(placed: Variable, data: bytes) -> None:
    """Write a variable's initial bytes.

    Its other bytes are zeros, which take no memory.
    """
    transfer.write([(placed.extent, placed.start - placed.origin, len(data))], bytes_address(data))


@effect(ends="module")
def unload(process: Process, module: Module, stack: Stack) -> None:
    """Unload a module after its work is done."""
    module.ended = stack
    for function in module.functions.values():
        del process.loaded[function.handle]
        process.note_freed(function.handle, function)
    shared = module.library.variables if module.library is not None else {}
    _free(process, {name: placed for name, placed in module.variables.items() if name not in shared}, stack)
    if module.library is not None:
        del module.library.modules[module.context]
    del module.context.modules[module.handle]
    del process.loaded[module.handle]
    process.note_freed(module.handle, module)


@effect(beside="a look-up makes it")
def function_of(module: Module, entry: Entry) -> Function:
    """Return a module's function for an entry, the same each time; load it if needed."""
    function = _known(module, entry)
    function.loaded = True
    return function


def _known(module: Module, entry: Entry) -> Function:
    function = module.functions.get(entry.name)
    if function is None:
        process = module.context.process
        function = Function(process.machine.territory.new_handle(), module, entry)
        module.functions[entry.name] = process.loaded[function.handle] = function
    return function


@effect(beside="a look-up makes them")
def functions_of(module: Module, entries: list[Entry]) -> tuple[int, ...]:
    """Return the handles of a module's functions without loading them.

    Raises:
        MemoryError: The OS process has too little memory for them; nothing has changed.
    """
    headroom.make_room_for(len(entries))
    return tuple([_known(module, entry).handle for entry in entries])


@effect(makes="Library")
def load_library(process: Process, data: bytes, stack: Stack, jit: dict[int, int] | None = None) -> Library:
    """Load an image as a library of a process, with JIT options, and return it."""
    library = Library(handles.new_handle(process, "library"), process, data, jit=jit or {}, created=stack)
    process.loaded[library.handle] = library
    return library


@effect(beside="the first use of its code loads it")
def library_of_program(process: Process, binary: Binary, data: bytes, stack: Stack) -> Library:
    """Return the library of a program's image in a process, the same until unloaded.

    Args:
        process: The process.
        binary: The image.
        data: Its bytes.
        stack: The stack that uses it.
    """
    known = process.runtimes.libraries
    library = known.get(binary)
    if library is None or library.handle not in process.loaded:
        library = known[binary] = load_library(process, data, stack)
        library.of_program, library.objects = True, tuple(binary.parts or ())
    return library


@effect(ends="library")
def unload_library(library: Library, stack: Stack) -> None:
    """Unload a library with its kernels, modules and variables, after their work."""
    process = library.process
    library.ended = stack
    for module in list(library.modules.values()):
        unload(process, module, stack)
    _free(process, library.variables, stack)
    for kernel in library.kernels.values():
        del process.loaded[kernel.handle]
        process.note_freed(kernel.handle, kernel)
    del process.loaded[library.handle]
    process.note_freed(library.handle, library)
    handles.give_again(process, "library", library.handle)


@effect(beside="a look-up makes it")
def kernel_of(library: Library, entry: Entry) -> Kernel:
    """Return a library's kernel for an entry, the same each time."""
    kernel = library.kernels.get(entry.name)
    if kernel is None:
        kernel = Kernel(library.process.machine.territory.new_handle(), library, entry)
        library.kernels[entry.name] = library.process.loaded[kernel.handle] = kernel
    return kernel


@effect(beside="a look-up makes them")
def kernels_of(library: Library, entries: list[Entry]) -> tuple[int, ...]:
    """Return the handles of a library's kernels.

    Raises:
        MemoryError: The OS process has too little memory for them; nothing has changed.
    """
    headroom.make_room_for(len(entries))
    return tuple([kernel_of(library, entry).handle for entry in entries])
