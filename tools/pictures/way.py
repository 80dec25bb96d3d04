"""The picture of a call's way.

It shows cuMemAlloc through each door and through a shared machine, as recorded.
"""

from __future__ import annotations

import ctypes
import json
import subprocess
import sys
import threading
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from attrs import define

import fakecuda
from fakecuda.explain.pictures.svg import LINE, PAD, Drawing, width_of
from tools.imports import package as of

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

ROOT = Path(fakecuda.__file__).parent
BYTES = 1 << 20
PROFILE = "h200"
KINDS = {
    "reach.bindings": "way in",
    "reach.native": "way in",
    "reach.remote": "sharing",
    "rules": "rules",
    "model": "model",
}
GAP, SPACE = 18, 64
"""The distances between the boxes of a column, and between columns."""
TOP = 34.0
"""The top of the columns, below their titles."""


class Step(NamedTuple):
    """A called function.

    Attributes:
        package: Its package in fakecuda.
        module: Its module in the package.
        name: Its name.
    """

    package: str
    module: str
    name: str


class Watch:
    """A profile function that records calls of public functions.

    It records calls of fakecuda while it is on.
    Private functions are left out: they belong to their modules, and caches decide whether they are called.
    """

    def __init__(self) -> None:
        self.on = False
        self.steps: list[Step] = []

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        """Record a call."""
        if not self.on or event != "call":
            return
        path, name = Path(frame.f_code.co_filename), frame.f_code.co_name
        if path.is_relative_to(ROOT) and not name.startswith(("_", "<")):
            full = ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
            package = of(full)
            self.steps.append(Step(package, full.removeprefix(f"fakecuda.{package}").strip("._"), name))

    def of(self, call: Callable[[], object]) -> list[Step]:
        """Return the functions that a call uses when it is made again.

        The second time has no imports.
        """
        call()
        self.on = True
        sys.setprofile(self)
        try:
            call()
        finally:
            sys.setprofile(None)
            self.on = False
        return self.steps


def lookalike() -> list[Step]:
    """Return the way of a call of the look-alike."""
    with fakecuda.Machine(PROFILE) as machine:
        driver = machine.spawn().driver
        driver.cuInit(0)
        driver.cuCtxCreate(None, 0, 0)
        return Watch().of(lambda: driver.cuMemAlloc(BYTES))


def native() -> list[Step]:
    """Return the way of a call of ``libcuda.so.1``."""
    with fakecuda.simulate(PROFILE, door="native"):
        return Watch().of(_ready())


def _ready() -> Callable[[], object]:
    """Return a function that makes a call of ``libcuda.so.1`` with a current context."""
    library = ctypes.CDLL("libcuda.so.1")
    context, pointer = ctypes.c_void_p(), ctypes.c_uint64()
    library.cuInit(0)
    library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
    library.cuCtxSetCurrent(context)
    return lambda: library.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(BYTES))


def attached() -> None:
    """Make the call in an attached OS process.

    Print a line, read one, and print the call's way as JSON.
    """
    call = _ready()
    call()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    sys.stdout.write(json.dumps(Watch().of(call)) + "\n")


def shared() -> tuple[list[Step], list[Step]]:
    """Return the way of a call through a shared machine.

    It has a part in the calling process, and a part in the owner.
    """
    watch = Watch()
    threading.setprofile(watch)  # for the thread that will answer
    command = [sys.executable, "-c", "from tools.pictures import way; way.attached()"]
    try:
        with (
            fakecuda.simulate(PROFILE, shared=True),
            subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
            ) as child,
        ):
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdout.readline()
            watch.on = True
            child.stdin.write("\n")
            child.stdin.close()
            caller = [Step(*step) for step in json.loads(child.stdout.readline())]
            watch.on = False
    finally:
        threading.setprofile(None)
    # From the call to its answer. Before and after that, the thread handles other frames.
    names = [step.name for step in watch.steps]
    begin = names.index("answer")
    return caller, watch.steps[begin : names.index("send", begin) + 1]


def _boxes(steps: list[Step]) -> list[tuple[str, list[str]]]:
    """Return the boxes of a way.

    A box is a package with its functions by module. Boxes are in the order of the calls.
    """
    found = []
    for package, those in groupby(steps, lambda step: step.package):
        lines = []
        for module, functions in groupby(those, lambda step: step.module):
            lines.append(f"{module or package}: {', '.join(dict.fromkeys(step.name for step in functions))}")
        found.append((package, [*dict.fromkeys(lines)]))
    return found


@define
class _Column:
    """A column of boxes, each with an arrow to the next.

    Attributes:
        drawing: The drawing.
        x: Its left side.
        width: The width of its boxes.
        y: Its lower end so far.
    """

    drawing: Drawing
    x: float
    width: float
    y: float

    @property
    def middle(self) -> float:
        """The x coordinate of its arrows."""
        return self.x + self.width / 2

    def program(self, words: str) -> None:
        """Start with a box for the program."""
        height = 2 * PAD + LINE
        self.drawing.box(self.x, self.y, self.width, height, "user")
        self.drawing.text(self.x + PAD, self.y + PAD + 11, words)
        self.y += height

    def add(self, steps: list[Step], *, arrow: bool = True) -> None:
        """Add the boxes of some steps, the first one with or without an arrow."""
        for package, lines in _boxes(steps):
            if arrow:
                self.drawing.line((self.middle, self.y), (self.middle, self.y + GAP), arrow=True)
                self.y += GAP
            arrow = True
            height = 2 * PAD + (1 + len(lines)) * LINE
            self.drawing.box(self.x, self.y, self.width, height, KINDS.get(package, "ground"))
            self.drawing.text(self.x + PAD, self.y + PAD + 11, package, "title")
            for number, line in enumerate(lines, 1):
                self.drawing.text(self.x + PAD, self.y + PAD + 11 + number * LINE, line)
            self.y += height


def draw() -> str:
    """Return the picture."""
    caller, owner = shared()
    sent = next(number for number, step in enumerate(caller) if step.name == "send") + 1
    ways = (
        ("the look-alike, in Python", "driver.cuMemAlloc(1 << 20)", lookalike()),
        ("libcuda.so.1, from C", "cuMemAlloc_v2(&p, 1 << 20)", native()),
        ("libcuda.so.1, in a process of a shared machine", "cuMemAlloc_v2(&p, 1 << 20)", caller),
        ("the process that owns the machine", "", owner),
    )
    drawing = Drawing("One call's way: cuMemAlloc by either door, and through a shared machine")
    columns: list[_Column] = []
    x = float(PAD)
    for title, program, steps in ways:
        lines = [title, program, *(line for _, those in _boxes(steps) for line in those)]
        column = _Column(drawing, x, max(map(width_of, lines)) + 2 * PAD, TOP)
        drawing.text(x, TOP - 14, title, "title beside")
        columns.append(column)
        x += column.width + SPACE
        if program:
            column.program(program)
    for column, (_, _, steps) in zip(columns[:2], ways, strict=False):
        column.add(steps)
    away, home = columns[2:]
    away.add(caller[:sent])
    # The owner's steps are drawn between the caller's sending and receiving.
    start = away.y - PAD
    home.y = away.y + GAP
    drawing.line((away.x + away.width, start), (home.middle, start), (home.middle, home.y), arrow=True)
    drawing.text(away.x + away.width + PAD, start - 6, "a frame on a Unix socket", "beside")
    home.add(owner, arrow=False)
    begin = away.y
    away.y = home.y + GAP
    drawing.line((away.middle, begin), (away.middle, away.y), arrow=True)
    end = away.y + PAD
    drawing.line((home.middle, home.y), (home.middle, end), (away.x + away.width, end), arrow=True)
    drawing.text(away.x + away.width + PAD, end + LINE, "its answer", "beside")
    away.add(caller[sent:], arrow=False)
    return drawing.svg()
