"""Native code of kernels, by llvmlite, which is imported at the first kernel."""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels.compiled import approximate, barriers, meetings, runtime, thread
from fakecuda.kernels.compiled.body import Body
from fakecuda.kernels.compiled.layout import RESUMED
from fakecuda.kernels.row import NotRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.kernels.compiled.layout import Access
    from fakecuda.kernels.program import Instruction, Variable
    from fakecuda.kernels.threads import Kernel, Piece

LEVEL = 1
"""How much LLVM optimises."""
FUNCTION = ctypes.PYFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * 4)
"""A function of native code. It holds the interpreter's lock, so that nothing of the model changes meanwhile."""
MEMORY = {
    "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
    "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
}


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Return whether llvmlite can be imported, on a system where its code finds the C library's functions."""
    return sys.platform == "linux" and importlib.util.find_spec("llvmlite") is not None


@lru_cache(maxsize=1)
def library() -> Any:
    """Return llvmlite's functions."""
    from llvmlite import binding  # noqa: PLC0415 - an extra, and slow to import

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.load_library_permanently("libm.so.6")
    for name, address in approximate.symbols().items():
        binding.add_symbol(name, address)
    return binding


@define(eq=False)
class Native:
    """A compiled kernel.

    Attributes:
        kernel: The kernel.
        turn: How many instructions a thread executes before others have their turn.
        stride: Bytes of a thread.
        sites: What may fail, by number.
        symbols: The variables whose addresses a launch gives.
        pieces: The pieces, by number.
        resumes: The pieces that follow places where threads take a result.
        waits: The instructions that threads wait at, by number.
        blocks: Gives blocks their first turn.
    """

    kernel: Kernel
    turn: int
    stride: int
    sites: list[Access]
    symbols: list[tuple[Variable, int]]
    pieces: list[Piece]
    resumes: list[int]
    waits: list[Instruction]
    blocks: Callable[..., int]
    _again: Callable[..., int] | None = None
    _kept: list[Any] = field(factory=list)

    def piece(self, number: int) -> Piece:
        """Return the piece that a thread comes to next, by the number that it keeps."""
        return self.pieces[number if number < RESUMED else self.resumes[number - RESUMED]]

    @property
    def again(self) -> Callable[..., int]:
        """The function that gives a block another turn, compiled when it is needed."""
        if self._again is None:
            body = Body(self.kernel, self.turn, resumed=True)
            body.all()
            self._again, engine = compiled(_module(body, "again"), "again")
            self._kept.append(engine)
        return self._again


def _module(body: Body, name: str) -> str:
    """Return a module of LLVM IR with the function of a name."""
    stride = thread.stride_of(body)
    parts = [runtime.search(), thread.text(body)]
    if body.waits:
        parts.append(barriers.barriers(stride, reduces=body.reduces))
    if body.meetings or body.converges:
        parts.append(meetings.warps(stride))
        body.o.declared.add("declare i64 @llvm.umin.i64(i64, i64)")
    if body.meetings:
        parts += [meetings.meeting(stride), meetings.settlements(body, stride)]
    if body.converges:
        parts.append(barriers.converging(stride))
    if name == "again":
        parts.append(runtime.resumed(stride, body.turn, gathers=body.converges))
    else:
        parts.append(runtime.blocks(stride, body.turn, cleans=bool(body.waits), gathers=body.converges))
    return "\n".join([*sorted(body.o.declared | MEMORY), *parts])


def compiled(text: str, name: str) -> tuple[Callable[..., int], Any]:
    """Return a function of a module, and what keeps its code."""
    binding = library()
    features = binding.get_host_cpu_features().flatten()
    machine = binding.Target.from_default_triple().create_target_machine(  # the compiler frees it with the code
        cpu=binding.get_host_cpu_name(), features=features, opt=LEVEL, jit=True
    )
    module = binding.parse_assembly(text)
    module.verify()
    options = binding.create_pipeline_tuning_options(speed_level=LEVEL)
    passes = binding.create_pass_builder(machine, options)
    passes.getModulePassManager().run(module, passes)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return FUNCTION(engine.get_function_address(name)), engine


@lru_cache(maxsize=256)
def native(kernel: Kernel, turn: int) -> Native | None:
    """Return a compiled kernel. None if an instruction is not lowered, or llvmlite is not installed.

    Args:
        kernel: The kernel.
        turn: How many instructions a thread executes before others have their turn.
    """
    if not is_installed():
        return None
    body = Body(kernel, turn, resumed=False)
    try:
        body.all()
    except NotRun:
        return None
    blocks, engine = compiled(_module(body, "blocks"), "blocks")
    pieces = [piece for _, piece in body.pieces]
    stride = thread.stride_of(body)
    return Native(
        kernel, turn, stride, body.sites, body.symbols, pieces, body.resumes, body.waits, blocks, kept=[engine]
    )
