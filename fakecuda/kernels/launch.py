"""Launches of kernels from their PTX."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from math import prod
from typing import TYPE_CHECKING

from attrs import define

from fakecuda.errors import KernelNotDefined
from fakecuda.kernels import grid as grids
from fakecuda.kernels.beside import Beside, again, done_of, is_alone
from fakecuda.kernels.compiled import engine
from fakecuda.kernels.compiled.grid import CompiledGrid
from fakecuda.kernels.compiled.private import Mixed, PrivateRun, Unknown
from fakecuda.kernels.drawn import DrawnGrid
from fakecuda.kernels.lower import NotLowered, lowered
from fakecuda.kernels.parse import parsed
from fakecuda.kernels.program import Program
from fakecuda.kernels.spaces import Fault
from fakecuda.kernels.text import inputs_of, names_of, ptx_of
from fakecuda.model.code.code import Refused
from fakecuda.model.code.kernel_run import Run

if TYPE_CHECKING:
    from fakecuda.kernels.compiled.engine import Native
    from fakecuda.kernels.compiled.private import PrivateMemory
    from fakecuda.kernels.spaces import GlobalMemory
    from fakecuda.kernels.threads import Kernel
    from fakecuda.model.call import Call
    from fakecuda.model.code.kernels import Config
    from fakecuda.model.code.module import Function
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.machine import Machine

PLAIN, NATIVE = 2_000_000, 200_000_000
"""How many instructions a launch executes at most for each second of the machine's ``wait_timeout``: in Python, and as native code.

The number does not depend on the time that a launch takes, so that each run ends alike.
"""
MANY = 2_000_000
"""A launch of more instructions has the usual order alone, because plain Python takes too long for others."""
TIMES, SPINS = 50, 20_000_000
"""How many times more instructions a drawn order executes at most, and how many for threads that poll."""
MOST = (1 << 63) - 1
HOW_TO = (
    "Get PTX to the driver: nvcc -lineinfo or -gencode arch=compute_90,code=compute_90; NVRTC and cuda.core with "
    "-lineinfo or as 'ptx'; CuPy with CUPY_COMPILE_WITH_PTX=1; Triton without TRITON_DISABLE_LINE_INFO"
)


@lru_cache(maxsize=64)
def program_of(data: bytes, arch: int, objects: tuple[bytes, ...] = ()) -> Program | None:
    """Return the instructions of an image; None without PTX.

    Args:
        data: The image.
        arch: The device's architecture.
        objects: What a compiler has linked it from: their PTX counts, because the image has that of one of them at most.

    Raises:
        Refused: The PTX that a cubin carries cannot be read.
    """
    inputs = list(objects) or inputs_of(data)
    if not inputs:
        text = ptx_of(data, arch)
        if text is None:
            return None
        made = parsed(text)
    else:
        made = Program()
        for number, (one, names) in enumerate(zip(inputs, names_of(inputs, arch), strict=True)):
            text = ptx_of(one, arch)
            if text is not None:
                made.add(parsed(text, names.renamed, number), names.dropped)
    made.digest = f"{sha256(b''.join((data, *objects))).hexdigest()} {arch}"
    return made


@lru_cache(maxsize=256)
def kernel_of(program: Program, name: str, *, races: bool, splits: bool = False) -> Kernel:
    """Return a kernel of a program, ready to run; arguments as for ``lowered``.

    Raises:
        NotLowered: It reaches an instruction that fakecuda does not run.
    """
    return lowered(program, name, races=races, splits=splits)


@define(eq=False)
class Prepared:
    """What a function keeps for its next launch.

    Attributes:
        kernel: The kernel, ready to run.
        races: Whether something looks for races.
        grid: Its last launch as native code. None while it is under way, and after one that has ended early.
    """

    kernel: Kernel
    races: bool
    grid: CompiledGrid | None = None


class Runner:
    """What a machine runs kernels from PTX by.

    Attributes:
        spare: What the last launch as native code has left.
    """

    def __init__(self) -> None:
        self.spare: list[PrivateMemory] = []

    def prepare(self, function: Function) -> Kernel:
        """Return a kernel, ready to run.

        Raises:
            KernelNotDefined: Its image has no PTX, or the PTX has an instruction that fakecuda does not run.
        """
        races = function.module.context.process.machine.races is not None
        known: Prepared | None = function.prepared
        if known is None or known.races is not races:
            known = function.prepared = Prepared(self._kernel(function, races=races), races)
        return known.kernel

    @staticmethod
    def _kernel(function: Function, *, races: bool, splits: bool = False) -> Kernel:
        """Return the kernel of a function, as :meth:`prepare`."""
        name, module = function.entry.name, function.module
        try:
            objects = () if module.library is None else module.library.objects
            program = program_of(module.image.code, module.context.device.architecture, objects)
            if program is None or program.function(name) is None:
                msg = f"the image has no PTX of it. {HOW_TO}"
                raise KernelNotDefined(_undefined(name, msg))
            if name in program.mapped:
                msg = "its directive .blocksareclusters, which counts the grid in clusters, does not run"
                raise KernelNotDefined(_undefined(name, msg))
            kernel = kernel_of(program, name, races=races, splits=splits)
        except Refused as refused:
            msg = f"the PTX of its image cannot be read: {refused.place or 'the image is damaged'}"
            raise KernelNotDefined(_undefined(name, msg)) from None
        except NotLowered as not_lowered:
            one = not_lowered.instruction
            msg = f"line {one.line} of its PTX has an instruction that fakecuda does not run: {one.text} ({not_lowered.why})"
            raise KernelNotDefined(_undefined(name, msg)) from None
        used = [variable for symbols in kernel.symbols.values() for _, variable, _ in symbols]
        for variable in used:
            if variable.space != "shared" and variable.name not in module.variables:
                msg = f"it uses variable {variable.name}, which the module does not have"
                raise KernelNotDefined(_undefined(name, msg))
        return kernel

    def run(
        self,
        function: Function,
        config: Config,
        args: tuple[bytes, ...],
        graph: GraphRun | None,
        call: Call | None = None,
    ) -> Run:
        """Run a kernel from its PTX without writing to memory yet.

        Args:
            function: The kernel.
            config: How it is launched.
            args: The bytes of each parameter.
            graph: The graph run that it is part of. None for a launch by itself.
            call: The call that launches it, if it has had no effect yet. None otherwise.

        Raises:
            KernelNotDefined: As :meth:`prepare`.
            KernelError: The kernel does not end.
            RetryCall: Other calls were made while it ran.
        """
        made, spent = self._usual(function, config, args, graph, call)
        made.fenced = function.prepared.kernel.fenced
        turns = made.context.process.machine.scheduler.census.turns
        if turns is not None and spent <= MANY and prod((*config.grid, *config.block)) > 1:
            number = turns.threads(function.entry.name)
            if number:
                drawn = Run(made.context, graph, fenced=made.fenced)
                return self._drawn(function, config, args, drawn, number, spent)
        return made

    def _usual(
        self, function: Function, config: Config, args: tuple[bytes, ...], graph: GraphRun | None, call: Call | None
    ) -> tuple[Run, int]:
        """Run a kernel in the usual order, and return how many instructions it has executed, too."""
        kernel = self.prepare(function)
        context, given = function.module.context, (function, config, args)
        scheduler = context.process.machine.scheduler
        seconds, done = scheduler.wait_timeout, done_of(call)
        if done is not None and done.run is not None and done.fits(*given):
            return done.run, 0
        ordered = scheduler.census.turns is not None
        alone = call is None or graph is not None or ordered or done is not None or is_alone(call.machine)
        native = engine.native(kernel, grids.TURN)
        while native is not None:
            private = PrivateRun(context, graph, spare=self.spare)
            launched = begun(native, function, config, args, private, limit(seconds, NATIVE))
            launched.beside = beside = None if alone else Beside(context.process.machine, private)
            sound: PrivateRun | None = None
            try:
                ended(launched, private, private.memory)
                sound = private
            except Mixed:
                native.mixed = True
            except Unknown:
                native = None
            finally:
                launched.beside = None
                if beside is not None:
                    beside.end()
            if sound is not None:
                keep(function, launched, private)
            if beside is not None and call is not None:
                again(beside, call, given, sound)
            if sound is not None:
                return private, launched.spent
        made = Run(context, graph)
        grid = grids.Grid(kernel, function, config, args, made, limit(seconds, PLAIN))
        return ended(grid, made, grid.memory), grid.spent

    def _drawn(
        self, function: Function, config: Config, args: tuple[bytes, ...], run: Run, number: int, spent: int
    ) -> Run:
        """Run a kernel in a drawn order, in plain Python.

        Args:
            function: The kernel.
            config: How it is launched.
            args: The bytes of each parameter.
            run: What it reads and writes.
            number: The number of the order.
            spent: How many instructions the usual order has executed. One with many more does not end.
        """
        machine = run.context.process.machine
        kernel = self._kernel(function, races=machine.races is not None, splits=True)
        fuel = min(limit(machine.scheduler.wait_timeout, PLAIN), TIMES * spent + SPINS)
        grid = DrawnGrid(kernel, function, config, args, run, fuel, number)
        return ended(grid, run, grid.memory)


def begun(
    native: Native, function: Function, config: Config, args: tuple[bytes, ...], run: PrivateRun, fuel: int
) -> CompiledGrid:
    """Return a launch as native code: the last one of a function again, if that had the same configuration."""
    prepared: Prepared = function.prepared
    known, prepared.grid = prepared.grid, None
    if known is None or known.native is not native or known.config != config:
        return CompiledGrid(native, function, config, args, run, fuel)
    known.begin(args, run, fuel)
    return known


def keep(function: Function, launched: CompiledGrid, run: PrivateRun) -> None:
    """Keep a grid for the function's next launch, unless its run ended with a fault or a race."""
    is_sound = run.fault is None and run.race is None
    function.prepared.grid = launched if is_sound else None


def limit(seconds: float, each: int) -> int:
    """Return the maximum number of instructions of a launch."""
    return int(min(seconds * each, MOST))


def ended(grid: grids.Grid, run: Run, memory: GlobalMemory | PrivateMemory) -> Run:
    """Execute a launch to its end, and return its run."""
    try:
        grid.run()
    except Fault as fault:
        run.fault, run.text = fault.code, grid.fault_text(fault) + "\n"
    run.read, run.written, run.updated, run.polled = memory.uses()
    run.printed, run.race = grid.printed, grid.race
    return run


def install(machine: Machine) -> None:
    """Have a machine run kernels from their PTX."""
    machine.ptx = Runner()


def _undefined(name: str, why: str) -> str:
    """Return the error text for a kernel without PTX or Python function."""
    return (
        f"kernel {name} has no Python function, and its PTX does not run: {why}. Or write a Python function with the "
        f'decorator @fakecuda.kernel("{name}", …)'
    )
