"""Native code of kernels, by llvmlite, which is imported at the first kernel."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels.compiled import (
    asynchronous,
    barriers,
    cache,
    clusters,
    meetings,
    products,
    runtime,
    search,
    stamps,
    straight,
    texels,
    thread,
    tracking,
    wgmma,
)
from fakecuda.kernels.compiled.body import Body
from fakecuda.kernels.compiled.layout import RESUMED, Access
from fakecuda.kernels.row import NotRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.threads import Kernel, Piece

FIRST, LAST = 0, 1
"""LLVM optimisation levels: for a new kernel, and for a hot kernel."""
HOT = 1_000_000
"""The executions per instruction after which a kernel is compiled again."""
FUNCTION = ctypes.PYFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 4)
"""The type of native functions, which hold the interpreter's lock."""
MEMORY = {
    "declare i64 @llvm.umax.i64(i64, i64)",
    "declare i64 @llvm.umin.i64(i64, i64)",
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
}


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Return whether llvmlite is available and its code finds the C library."""
    return sys.platform == "linux" and importlib.util.find_spec("llvmlite") is not None


@lru_cache(maxsize=1)
def processor() -> tuple[str, str]:
    """Return the name and the features of this processor."""
    binding = library()
    return binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten()


@lru_cache(maxsize=1)
def library() -> Any:
    """Return llvmlite's functions."""
    from llvmlite import binding  # noqa: PLC0415 - an extra, and slow to import

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.load_library_permanently("libm.so.6")
    return binding


@define(eq=False)
class Native:
    """A compiled kernel.

    Attributes:
        kernel: The kernel.
        turn: How many instructions a thread executes before others have their turn.
        stride: Bytes of a thread.
        sites: What may fail, by number.
        symbols: The names and the offsets of the variables whose addresses a launch gives.
        pieces: The pieces, by number.
        resumes: The pieces that follow places where threads take a result.
        waits: The instructions that threads wait at, by number.
        level: How much its code is optimised.
        spent: How many instructions it has executed.
        much: How many are many.
        mixed: Whether a launch had loads and then writes of shared memory in an epoch.
    """

    kernel: Kernel
    turn: int
    stride: int
    sites: list[Access]
    symbols: list[tuple[str, int]]
    pieces: list[Piece]
    resumes: list[int]
    waits: list[Instruction]
    level: int = FIRST
    spent: int = 0
    mixed: bool = False
    much: int = field(init=False)
    _functions: dict[str, Callable[..., int]] = field(factory=dict)
    _kept: list[Any] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        """Count the instructions."""
        self.much = HOT * sum(len(piece.instructions) for piece in self.pieces)

    def piece(self, number: int) -> Piece:
        """Return the piece of code at which a thread continues."""
        return self.pieces[number if number < RESUMED else self.resumes[number - RESUMED]]

    @property
    def blocks(self) -> Callable[..., int]:
        """The function that gives blocks their first turn."""
        return self._function("blocks")

    @property
    def again(self) -> Callable[..., int]:
        """The function that gives a block another turn."""
        return self._function("again")

    def spend(self, count: int) -> None:
        """Count executed instructions; a hot kernel is compiled again."""
        self.spent += count
        if self.level < LAST and self.spent > self.much:
            self.level = LAST
            self._functions.clear()

    def _function(self, name: str) -> Callable[..., int]:
        """Return a native function, compiled on first use."""
        if name not in self._functions:
            found = cache.read(_file(self.kernel, self.turn, name, self.level)) if self.kernel.program.digest else None
            if found is None:
                self.add(name, self._compiled(name))
            else:
                self.add(name, loaded(found[1]))
        return self._functions[name]

    def add(self, name: str, engine: Any) -> None:
        """Register a native function."""
        self._functions[name] = FUNCTION(engine.get_function_address(name))
        self._kept.append(engine)

    def _compiled(self, name: str, body: Body | None = None) -> Any:
        """Compile a function, and write its code to the cache."""
        if body is None:
            body = Body(self.kernel, self.turn, resumed=name == "again", hot=self.level == LAST)
            body.all()
        engine, code = compiled(_module(body, name), self.level)
        if self.kernel.program.digest:
            cache.write(_file(self.kernel, self.turn, name, self.level), described(self), code)
        return engine

    def begin(self, body: Body) -> Native:
        """Compile the code of first turns."""
        self.add("blocks", self._compiled("blocks", body))
        return self


def _file(kernel: Kernel, turn: int, name: str, level: int) -> str:
    """Return the name of a function's cache file."""
    return cache.name_of(
        *processor(),
        sys.modules["llvmlite"].__version__,
        kernel.program.digest,
        *list(kernel.codes)[:1],
        turn,
        name,
        level,
        kernel.watch is not None,
    )


def described(native: Native) -> list[Any]:
    """Return the description of a compiled kernel, without its code."""
    pieces = {
        id(piece): (code.name, at) for code in native.kernel.codes.values() for at, piece in enumerate(code.pieces)
    }
    places: dict[Instruction, tuple[str, int, int]] = {}
    for piece in native.pieces:
        for number, one in enumerate(piece.instructions):
            places.setdefault(one, (*pieces[id(piece)], number))
    sites = [(places[one.instruction], one.size, one.flags, one.targets, one.spare) for one in native.sites]
    waits = [places[one] for one in native.waits]
    return [native.stride, sites, native.symbols, [pieces[id(one)] for one in native.pieces], native.resumes, waits]


def remembered(kernel: Kernel, turn: int, description: list[Any]) -> Native:
    """Return a compiled kernel from its description."""
    stride, sites, symbols, pieces, resumes, waits = description

    def instruction(name: str, piece: int, number: int) -> Instruction:
        return kernel.codes[name].pieces[piece].instructions[number]

    return Native(
        kernel,
        turn,
        stride,
        [Access(instruction(*place), *rest) for place, *rest in sites],
        [(name, offset) for name, offset in symbols],
        [kernel.codes[name].pieces[at] for name, at in pieces],
        resumes,
        [instruction(*place) for place in waits],
    )


def _module(body: Body, name: str) -> str:
    """Return the LLVM module of a function."""
    stride = thread.stride_of(body)
    parts, watch = [search.search(), thread.text(body)], body.kernel.watch
    if watch is not None:
        syncs = [number for number, settle in body.meetings.items() if settle is meetings.synced]
        parts.append(stamps.functions(watch, syncs))
    if body.waits:
        parts.append(barriers.barriers(stride, reduces=body.reduces, watched=watch is not None))
    if body.in_cluster:
        parts.append(clusters.functions(stride))
    if body.meetings or body.converges:
        parts.append(meetings.warps(stride))
    if body.meetings:
        parts += [
            meetings.meeting(stride, phased=watch is not None and watch.phased),
            meetings.settlements(body, stride),
        ]
    if body.converges:
        parts.append(barriers.converging(stride))
    at = thread.fragments_of(body)
    made = [products.function(product, one, at, stride) for one, product in body.products.items()]
    made += [wgmma.function(group, f"group.{number}", at, stride) for number, group in enumerate(body.groups)]
    for text, declared in made:
        parts.append(text)
        body.o.declared |= declared
    if body.reads_texels:
        text, declared = texels.functions()
        parts.append(text)
        body.o.declared |= declared
    if body.tracks:
        parts.append(tracking.functions(stride, thread.copies_of(body) + asynchronous.ROOM, watched=watch is not None))
    if name == "again":
        parts.append(runtime.resumed(stride, body.turn, gathers=body.converges))
    else:
        even = straight.text(body) if body.may_be_straight else ""
        parts.append(even)
        has = bool(body.waits), body.converges, bool(even)
        begins, started = clusters.alone(), stamps.started(watch)
        parts.append(
            runtime.blocks(
                stride,
                body.turn,
                begins=begins + started,
                cleans=has[0],
                gathers=has[1],
                goes_straight=has[2],
            )
        )
    return "\n".join([*sorted(body.o.declared | MEMORY), *parts])


def _machine(level: int) -> Any:
    """Return LLVM's target machine, which a compiler frees with its code."""
    name, features = processor()
    return (
        library().Target.from_default_triple().create_target_machine(cpu=name, features=features, opt=level, jit=True)
    )


def compiled(text: str, level: int = LAST) -> tuple[Any, bytes]:
    """Return the compiler of a module, and its code."""
    binding = library()
    machine = _machine(level)
    module = binding.parse_assembly(text)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=level)
    passes = binding.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    engine = binding.create_mcjit_compiler(module, machine)
    code: list[bytes] = []
    engine.set_object_cache(lambda _module, data: code.append(data))
    engine.finalize_object()
    return engine, code[0]


def loaded(code: bytes) -> Any:
    """Return the compiler of a cached module."""
    binding = library()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(""), _machine(FIRST))
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@lru_cache(maxsize=256)
def native(kernel: Kernel, turn: int) -> Native | None:
    """Return a compiled kernel; None without llvmlite or with an unknown instruction.

    Args:
        kernel: The kernel.
        turn: How many instructions a thread executes before others have their turn.
    """
    if not is_installed():
        return None
    if kernel.program.digest:
        for level in (LAST, FIRST):
            found = cache.read(_file(kernel, turn, "blocks", level))
            if found is not None:
                made = remembered(kernel, turn, found[0])
                made.level = level
                made.add("blocks", loaded(found[1]))
                return made
    body = Body(kernel, turn, resumed=False)
    try:
        body.all()
    except NotRun:
        return None
    symbols = [(variable.name, offset) for variable, offset in body.symbols]
    pieces = [piece for _, piece in body.pieces]
    stride = thread.stride_of(body)
    return Native(kernel, turn, stride, body.sites, symbols, pieces, body.resumes, body.waits).begin(body)
