"""Calls of :mod:`conformance.fuzz.images` with a code image, and their checks."""

from __future__ import annotations

import ctypes
import traceback
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fuzz.by_attached import NOT_MEANT
from conformance.fuzz.whole import harm, is_held
from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.code import cubin_writer, image, packed
from fakecuda.model.code.cost import Cost, spent
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.effect import Act

    Images = tuple[bytes, ...]

READ, MADE, TOKENS = 10, 48, 2
"""How many bytes are read and made for each byte of an image, and how many tokens, at most. A kernel of a linked cubin takes
three rows of tables and three names."""
BESIDES = 1 << 15
"""The constant part of these limits."""
UNPACKED = 1 << 13
"""The maximum size of an uncompressed image, beyond its own size."""
REUSED = 32
"""The number of images of one machine."""
FEW = 2
"""The maximum number of an image's functions and variables to query."""
INT = 1 << 31
KNOWN = frozenset(map(int, Result))
ATTRIBUTES = range(10)


@define
class World:
    """A machine that loads images in turn.

    Attributes:
        whole: Whether the machine's state is compared around each call that is refused. It takes most of the time.
        counts: What was seen, by names.
        wrong: What does not hold of the last image, a line each.
        suspicious: Whether a call with the last image was refused and had an effect.
    """

    machine: Machine = field(init=False)
    c: Any = field(init=False)
    whole: bool = False
    counts: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)
    suspicious: bool = False
    _given: int = REUSED
    _before: list[Any] | None = None
    _effects: int = 0

    def examine(self, images: Images) -> list[str]:
        """Load images, or link several; return a line for each error."""
        self.wrong, self.suspicious = [], False
        if self._given >= REUSED:
            self.renew()
        self._given += 1
        for one in images:
            self._module(one)
            self._library(one)
        types = image.CUBIN, image.TEXT, image.FATBINARY
        for type_ in types if len(images) > 1 else types[len(images[0]) % 3 :][:1]:
            self._linked(type_, images)
        self.wrong += harm(self.machine)
        if self.wrong:
            self._given = REUSED
        return self.wrong

    def renew(self) -> None:
        """Replace the machine by a new one."""
        self.close()
        self.machine = Machine("h200", strict=False, seed=int(self.whole))
        self.c = self.machine.spawn("a").c
        self.c.cuInit(0)
        self.c.cuCtxCreate(None, 0, 0)
        self._given, self._before = 0, None

    def close(self) -> None:
        """Close the machine, if there is one."""
        made = getattr(self, "machine", None)
        if made is not None and not is_held(made):
            made.close()

    def note(self, _: Act) -> None:
        """Note that an effect is about to act."""
        self._effects += 1

    def _ask(self, name: str, *args: Any, size: int, judged: bool = False) -> Any:
        """Make a call; return its result, or None if it was refused.

        Args:
            name: The call.
            args: Its arguments.
            size: Bytes of all the images that it may look at.
            judged: Whether the call changes nothing if it is refused.
        """
        if judged and self.whole and self._before is None:
            self._before = self.machine.snapshot()
        spent.bytes_read = spent.tokens = spent.bytes_produced = self._effects = 0
        try:
            code, *results = getattr(self.c, name)(*args)
        except BaseException as error:  # noqa: BLE001 - whatever comes is judged
            code, results = type(error).__name__, []
            if not isinstance(error, FakeCudaError) or isinstance(error, NOT_MEANT):
                self.wrong.append(f"{name} raises {code}\n" + "".join(traceback.format_exception(error)))
        self.counts["calls"] += 1
        self.counts[f"answers {Result(code).name if code in KNOWN else code}"] += 1
        if isinstance(code, int) and code not in KNOWN:
            self.wrong.append(f"{name} answers what is not a code\n{code}")
        self._judge_cost(name, size)
        if not code:
            self._before = None
            return results[0] if len(results) == 1 else results
        self.suspicious = self.suspicious or (judged and self._effects > 0)
        if judged and self.whole and self.machine.snapshot() != self._before:
            self.wrong.append(f"{name} is refused and has changed something\n{code}")
            self._before = None
        return None

    def _judge_cost(self, name: str, size: int) -> None:
        limits = Cost(*(times * (size + UNPACKED) + BESIDES for times in (READ, TOKENS, MADE)))
        for what in ("bytes_read", "tokens", "bytes_produced"):
            count, limit = getattr(spent, what), getattr(limits, what)
            if count > limit:
                self.wrong.append(
                    f"{name} costs too much of {what}\n{count} with {size} bytes of images: at most {limit}"
                )

    def _module(self, data: bytes) -> None:
        size = len(data)
        calls: tuple[tuple[str, tuple[Any, ...]], ...] = (
            ("cuModuleLoadData", ()),
            ("cuModuleLoadDataEx", (0, None, None)),
            ("cuModuleLoadFatBinary", ()),
        )
        answered = None
        for name, more in calls:
            module = self._ask(name, data, *more, size=size, judged=not answered)
            answered = answered or module
            if module is None:
                continue
            if name == "cuModuleLoadData":
                self._look_into(module, size)
            self._ask("cuModuleUnload", module, size=size)

    def _look_into(self, module: int, size: int) -> None:
        """Query the functions and variables of a module."""
        held: Any = self.machine.processes["a"].loaded[module]
        count = self._ask("cuModuleGetFunctionCount", module, size=size)
        functions = self._ask("cuModuleEnumerateFunctions", count, module, size=size)
        for function in (functions or ())[:FEW]:
            self._ask("cuFuncGetName", function, size=size)
            for attribute in ATTRIBUTES:
                value = self._ask("cuFuncGetAttribute", attribute, function, size=size)
                if value is not None and not -INT <= value < INT:
                    self.wrong.append(f"cuFuncGetAttribute gives what is not an int\n{attribute}: {value}")
        for name in [*held.image.entries][:FEW]:
            self._ask("cuModuleGetFunction", module, name.encode(), size=size)
        for name in [*held.image.variables][:FEW]:
            self._ask("cuModuleGetGlobal", module, name.encode(), size=size)

    def _library(self, data: bytes) -> None:
        size = len(data)
        library = self._ask("cuLibraryLoadData", data, None, None, 0, None, None, 0, size=size, judged=True)
        if library is None:
            return
        for name, args in (
            ("cuLibraryGetKernelCount", ()),
            ("cuLibraryGetKernel", (b"empty",)),
            ("cuLibraryGetManaged", (b"v",)),
            ("cuLibraryGetModule", ()),
            ("cuLibraryGetGlobal", (b"counter",)),
        ):
            found = self._ask(name, library, *args, size=size, judged=True)
            if name == "cuLibraryGetKernelCount" and found:
                self._ask("cuLibraryEnumerateKernels", found, library, size=size)
        self._ask("cuLibraryUnload", library, size=size)

    def _linked(self, type_: int, images: Images) -> None:
        """Link inputs as a type and load the result; refused inputs stay in their linker."""
        self._before = None
        size = sum(map(len, images))
        state = self._ask("cuLinkCreate", 0, None, None, size=size)
        for one in images:
            self._ask("cuLinkAddData", state, type_, one, len(one), b"in", 0, None, None, size=len(one))
        found = self._ask("cuLinkComplete", state, size=size)
        if found:
            self._module(ctypes.string_at(*found))
        self._ask("cuLinkDestroy", state, size=size)


@contextmanager
def lowered() -> Iterator[None]:
    """Lower the limits of decompression and linking, so that tests reach them fast."""
    kept = packed.LARGEST, cubin_writer.LARGEST
    packed.LARGEST = cubin_writer.LARGEST = UNPACKED
    _forget()
    try:
        yield
    finally:
        packed.LARGEST, cubin_writer.LARGEST = kept
        _forget()


def _forget() -> None:
    """Clear the cache of parsed images."""
    image.parsed.cache_clear()
    image.relocatable.cache_clear()


def examine(images: Images) -> list[str]:
    """Return a line for each error of a new machine with an image or linker inputs."""
    with lowered():
        world = World(whole=True)
        world.examine(images)  # a machine that has had them knows more
        found = world.wrong or world.examine(images)
        world.close()
    return found
