"""What the functions behind the stubs have in common; those of modelled calls stand in the generated ``_callbacks.py``.

Such a function gets plain numbers, pointers too, and answers a tagged code (:data:`fakecuda.native.stubs.TAG`). It answers
whatever happens: no exception can travel through C. One that a signal's handler raised is raised again in the main
thread, once that is back from the call; one of the simulator's own is kept as a finding.
"""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
import traceback
import warnings
from functools import cache
from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.api import mem_ops, stream_values
from fakecuda.api.driver import ENUMS
from fakecuda.api.sizes import POOL_SIZES
from fakecuda.api.symbols import symbols
from fakecuda.codes import Result
from fakecuda.errors import MachineClosed, NotModelledWarning, ProcessDied
from fakecuda.model.finding import Finding
from fakecuda.native import stubs
from fakecuda.profiles import load
from fakecuda.rules.core import Rule, Source
from fakecuda.simulated import Machine
from fakecuda.surfaces.standins import not_found

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from fakecuda.model.process import Thread
    from fakecuda.native.library import Library
    from fakecuda.native.threads import ThreadEnds

SUCCESS = stubs.TAG << 32
"""The tagged answer of success; with a code in its lower bits, that of a failure."""
OWN = "fakecuda."

CALL_IS_ANSWERED = Rule(
    "the simulator answers without an exception",
    Result.UNKNOWN,
    Source("source", "fakecuda", "an operation checks every rule that it needs; what else it raises is its mistake"),
)


class Door:
    """Where the calls that arrive through C lead.

    Attributes:
        library: The library, once it is loaded.
        ends: Tells of the ends of threads.
        machine: The machine, or None between machines.
        warned: Calls that are not modelled, of which the machine's user was told.
    """

    library: Library
    ends: ThreadEnds

    def __init__(self) -> None:
        self.machine: Machine | None = None
        self.warned: set[str] = set()


door = Door()


class Shut(Exception):  # noqa: N818 - a state of the door
    """No machine is attached."""


def find() -> Thread:
    """Return the calling thread of the attached machine, on its first call.

    Raises:
        Shut: No machine is attached.
        ProcessDied: The process that stands for this one has ended.
        MachineClosed: The machine is closed.
    """
    machine = door.machine
    if machine is None:
        raise Shut
    thread = machine.here.current_thread()
    door.ends.watch()
    return thread


def anyone() -> Thread:
    """Return the calling thread for a call that needs no machine: that of a machine without devices if there is none."""
    try:
        return find()
    except (Shut, MachineClosed, ProcessDied):
        return nobody()


def nobody() -> Thread:
    """Return the calling thread on the machine without devices, whatever machine of this OS process is attached.

    Bindings look functions up once and keep the addresses over many machines, so that it is the library that answers:
    a driver of its newest symbol's release, with every update. A machine of another OS process is the only one there is.
    """
    machine = door.machine
    if machine is not None and machine.elsewhere:
        return machine.here.current_thread()
    return nowhere().here.current_thread()


@cache
def nowhere() -> Machine:
    """Return the machine without devices."""
    newest = max(symbol.version for symbol in symbols())
    profile = attrs.evolve(load("h200"), name="nowhere", driver_version=newest // 10 * 10 + 9, devices=(), peers={})
    return Machine(profile, strict=False, seed=0)


def failed(name: str, error: BaseException) -> int:
    """Answer for a call in which an exception was raised.

    Args:
        name: The call.
        error: The exception.
    """
    if isinstance(error, Shut | MachineClosed):
        code = Result.NO_DEVICE if name == "cuInit" else Result.NOT_INITIALIZED
        return SUCCESS | code
    if isinstance(error, ProcessDied):
        return SUCCESS | Result.DEINITIALIZED
    return _raised(name, error, error.__traceback__)


def _raised(name: str, error: BaseException, trace: TracebackType | None) -> int:
    main = threading.get_ident() == threading.main_thread().ident
    if main and (isinstance(error, Warning) or not isinstance(error, Exception) or not _of_simulator(trace)):
        return door.library.raise_later(error)
    machine = door.machine  # another thread may detach it meanwhile
    if machine is None:
        # Nobody keeps findings: the interpreter reports it.
        raise error
    lines = traceback.format_exception(type(error), error, trace)
    finding = Finding(CALL_IS_ANSWERED, name, "here", {"raised": "".join(lines).rstrip()})
    machine.findings.append(finding)
    return SUCCESS | Result.UNKNOWN


def _of_simulator(trace: TracebackType | None) -> bool:
    """Return whether the simulator itself raised, rather than a signal's handler or a finaliser that ran inside it."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return trace is not None and str(trace.tb_frame.f_globals.get("__name__")).startswith(OWN)


def unraisable(previous: Callable[[Any], Any], what: Any) -> None:  # noqa: ANN401 - as sys.unraisablehook has it
    """Take what a callback raised before its first line, where it catches nothing; leave the rest to another hook.

    Args:
        previous: The other hook.
        what: The exception and where it was raised, as ``sys.unraisablehook`` gets it.
    """
    error, trace = what.exc_value, what.exc_traceback
    frame = trace.tb_frame if trace is not None else None
    place = frame.f_globals.get("__name__") if frame else getattr(what.object, "__module__", None)
    if error is not None and place in {f"{OWN}native._callbacks", __name__} and not sys.is_finalizing():
        name = frame.f_code.co_name if frame else getattr(what.object, "__name__", "")
        # The stub answers for the callback in any case.
        with contextlib.suppress(type(error)):
            _raised(name, error, trace)
            return
    previous(what)


def not_modelled(name: str, mend: str) -> int:
    """Answer CUDA_ERROR_NOT_SUPPORTED for a function that is not modelled, and warn once.

    Args:
        name: The symbol.
        mend: What to do instead; may be empty.
    """
    try:
        find()
        if name not in door.warned:
            door.warned.add(name)
            msg = f"{name} is not modelled: it answers CUDA_ERROR_NOT_SUPPORTED{mend and f'; {mend}'}"
            warnings.warn(msg, NotModelledWarning, stacklevel=2)
        return SUCCESS | Result.NOT_SUPPORTED
    except BaseException as error:  # noqa: BLE001 - no exception can travel through C
        return failed(name, error)


def absent(name: str) -> int:
    """Answer for a function that came after the machine's driver: the binding's exception, in a thread CUDA_ERROR_NOT_FOUND.

    A program that looks a symbol up by itself finds it: the library is the same for every machine.

    Args:
        name: The symbol.
    """
    if threading.get_ident() == threading.main_thread().ident:
        return door.library.raise_later(not_found(name))
    return SUCCESS | Result.NOT_FOUND


def nulls(**pointers: int) -> frozenset[str]:
    """Return the names of the result pointers that are null."""
    return frozenset(name for name, pointer in pointers.items() if not pointer)


@cache
def text_at(text: bytes) -> int:
    """Return the address of a C string that lives as long as the process."""
    kept = ctypes.create_string_buffer(text)
    _texts.append(kept)
    return ctypes.addressof(kept)


_texts: list[Any] = []

_FOUR = {
    "MEMORY_TYPE",
    "SYNC_MEMOPS",
    "IS_MANAGED",
    "DEVICE_ORDINAL",
    "IS_LEGACY_CUDA_IPC_CAPABLE",
    "MAPPED",
    "IS_GPU_DIRECT_RDMA_CAPABLE",
    "ACCESS_FLAGS",
    "IS_HW_DECOMPRESS_CAPABLE",
}
_WIDE = {
    value
    for name, value in ENUMS["CUpointer_attribute"].items()
    if name.removeprefix("CU_POINTER_ATTRIBUTE_") not in _FOUR
}


def write_attribute(data: int, attribute: int, value: int | bytes) -> None:
    """Write a pointer's attribute in its width: an int, 8 bytes for addresses, handles and sizes, 16 for the tokens."""
    if isinstance(value, bytes):
        ctypes.memmove(data, value, len(value))
    elif attribute in _WIDE:
        ctypes.c_uint64.from_address(data).value = value
    else:
        ctypes.c_int32.from_address(data).value = value


def write_attributes(data: int, attributes: int, values: tuple[int | bytes, ...]) -> None:
    """Write a pointer's attributes, named in an array, to where an array of pointers says."""
    places = (ctypes.c_uint64 * len(values)).from_address(data)
    kinds = (ctypes.c_int32 * len(values)).from_address(attributes)
    for place, attribute, value in zip(places, kinds, values, strict=True):
        if place:
            write_attribute(place, attribute, value)


def read_stream_value(pointer: int, attribute: int) -> tuple[Any, ...]:
    """Return an attribute's value from its memory."""
    return stream_values.unpack(attribute, (ctypes.c_char * stream_values.SIZE).from_address(pointer))


def write_stream_value(pointer: int, attribute: int, value: tuple[Any, ...]) -> None:
    """Write an attribute's value; the union's other bytes are zero then."""
    ctypes.memmove(pointer, stream_values.pack(attribute, value), stream_values.SIZE)


def write_numbers(data: int, value: int | tuple[int, ...]) -> None:
    """Write an attribute of a range: a C int, or several of them."""
    numbers = (value,) if isinstance(value, int) else value
    (ctypes.c_int32 * len(numbers)).from_address(data)[:] = list(numbers)


def write_number_lists(data: int, values: tuple[int | tuple[int, ...], ...]) -> None:
    """Write attributes of a range to where an array of pointers says."""
    places = (ctypes.c_uint64 * len(values)).from_address(data)
    for place, value in zip(places, values, strict=True):
        if place:
            write_numbers(place, value)


def write_pool_attribute(value: int, attribute: int, plain: int) -> None:
    """Write a pool's attribute in its width: 8 bytes for sizes, else an int."""
    (ctypes.c_uint64 if attribute in POOL_SIZES else ctypes.c_int32).from_address(value).value = plain


def read_pool_attribute(value: int, attribute: int) -> int | None:
    """Return a pool's attribute from where it stands; None for a null pointer."""
    if not value:
        return None
    return int((ctypes.c_uint64 if attribute in POOL_SIZES else ctypes.c_int32).from_address(value).value)


def write_shareable(handle: int, value: int | bytes) -> None:
    """Write an exported handle: a descriptor is an int, a fabric handle 64 bytes."""
    if isinstance(value, bytes):
        ctypes.memmove(handle, value, len(value))
    else:
        ctypes.c_int32.from_address(handle).value = value


def read_shareable(handle: int, kind: int) -> int | bytes:
    """Return an exported handle that came as a pointer: a descriptor stands in it, a fabric handle behind it."""
    if kind == ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_FABRIC"] and handle:
        return ctypes.string_at(handle, 64)
    return ctypes.c_int32(handle).value


def read_mem_ops(operations: int, count: int) -> tuple[tuple[int, ...], ...] | None:
    """Return an array of memory operations of a stream; of one that is too long for the call, nothing."""
    if not operations:
        return None
    places = range(operations, operations + count * mem_ops.SIZE, mem_ops.SIZE) if count < mem_ops.MOST else ()
    return tuple(mem_ops.unpack(ctypes.string_at(place, mem_ops.SIZE)) for place in places)
