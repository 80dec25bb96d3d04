"""``python -m conformance.record.device_launch --out FILE``: what becomes of graphs that kernels launch.

A program is some graphs, each a chain of kernels. A kernel writes a digit, or launches a graph and writes what that answered;
all they write stands in one list, in the order in which it was written. Some programs are made by hand, others are drawn: where
graphs are launched behind each other their order is compared, where some run at once what was written at all. What a card
answered are the lines of ``conformance/data/device_launch``; the same programs run on a machine of fakecuda in
``tests/model/test_device_launch.py``.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import random
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.model.code.kernels import kernel
from fakecuda.model.graph.graph_run import GraphLaunch, current_graph, launch_graph

if TYPE_CHECKING:
    from fakecuda.model.code.kernels import Array, Dim

DEVICE, DEVICE_LAUNCH = 0, 4
"""The device, and CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH."""
ROOM = 2000
"""What a list has room for."""
CODES = 1000
"""What stands for what a launch answered, from which on: a number for each kernel and code."""
DRAWN = 300
"""Programs that are drawn."""
HOW = {"behind": GraphLaunch.TAIL, "at once": GraphLaunch.FIRE_AND_FORGET, "beside": GraphLaunch.SIBLING}
PTX = b""".version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 code) cudaGraphLaunch (.param .b64 graph, .param .b64 stream);
.visible .entry append(.param .u64 list, .param .u32 value)
{
 .reg .b64 %l<4>; .reg .b32 %n<3>;
 ld.param.u64 %l1, [list]; ld.param.u32 %n1, [value];
 atom.add.u32 %n2, [%l1], 1;
 mul.wide.u32 %l2, %n2, 4; add.u64 %l3, %l1, %l2; st.volatile.u32 [%l3+4], %n1;
 ret;
}
.visible .entry launch(.param .u64 list, .param .u32 value, .param .u64 graph, .param .u64 stream)
{
 .reg .b64 %l<6>; .reg .b32 %n<6>; .reg .pred %p;
 ld.param.u64 %l1, [list]; ld.param.u32 %n1, [value]; ld.param.u64 %l4, [graph]; ld.param.u64 %l5, [stream];
 ld.volatile.u32 %n5, [%l1+-4];
 setp.eq.u32 %p, %n5, 0;
 @%p ret;
 sub.u32 %n5, %n5, 1; st.volatile.u32 [%l1+-4], %n5;
 setp.eq.u64 %p, %l4, 1;
 @%p mov.b64 %l4, %current_graph_exec;
 { .param .b64 a; .param .b64 b; .param .b32 c;
 st.param.b64 [a], %l4; st.param.b64 [b], %l5;
 call.uni (c), cudaGraphLaunch, (a, b);
 ld.param.b32 %n3, [c]; }
 atom.add.u32 %n2, [%l1], 1;
 mul.wide.u32 %l2, %n2, 4; add.u64 %l3, %l1, %l2;
 add.u32 %n4, %n1, %n3; st.volatile.u32 [%l3+4], %n4;
 ret;
}
"""
"""A list begins with how many it has; before that stands how many launches are still to be tried."""
ITSELF = 1
"""What stands for the graph that a kernel is of."""


@kernel("append", "u32*", "u32")
def append(_grid: Dim, _block: Dim, into: Array, value: int) -> None:
    """Add a value to a list."""
    count = into[0]
    into[0] = count + 1
    into[count + 1] = value


@kernel("launch", "u32*", "u32", "u64", "u64")
def launch(grid: Dim, block: Dim, into: Array, value: int, graph: int, stream: int) -> None:
    """Launch a graph, or the own one, and add what that answered to a list, unless enough have tried."""
    left = into[-1]
    if left:
        into[-1] = left - 1
        append(grid, block, into, value + launch_graph(current_graph() if graph == ITSELF else graph, stream))


@frozen
class Program:
    """Graphs that are launched, and how.

    Attributes:
        name: What it is about.
        graphs: The kernels of each graph: a digit that is written, or the name of a graph and how it is launched. The host
            launches the first one, ``outer``.
        tries: How many launches are tried.
        times: How often the host launches ``outer``.
        ordered: Whether what is written has an order.
        hidden: Graphs that are not uploaded.
    """

    name: str
    graphs: dict[str, tuple[Any, ...]]
    tries: int = 1000
    times: int = 2
    ordered: bool = True
    hidden: tuple[str, ...] = ()


def made() -> list[Program]:
    """Return the programs that are made by hand."""
    programs = []
    for name, how in HOW.items():
        alone = name == "behind"
        one = ("x", how)
        programs += [
            Program(f"a graph {name}", {"outer": (one, 1), "x": (2,)}, ordered=alone),
            Program(f"one of null {name}", {"outer": (("null", how), 1)}),
            Program(f"one that is not uploaded {name}", {"outer": (one, 1), "x": (2,)}, hidden=("x",)),
            Program(
                f"one of two kernels twice {name}",
                {"outer": (one, 1, ("y", how)), "x": (2, 3), "y": (4,)},
                ordered=alone,
            ),
            Program(f"itself {name}", {"outer": (("x", HOW["behind"]),), "x": (2, ("", how), 3)}, tries=5),
            Program(
                f"itself twice {name}",
                {"outer": (("x", HOW["behind"]),), "x": (("", how), ("", HOW["behind"]), 3)},
                tries=7,
            ),
            Program(
                f"one that launches another {name}",
                {"outer": (one, 1), "x": (2, ("y", how), 3), "y": (4,)},
                ordered=alone,
            ),
            Program(
                f"as many as there may be {name}",
                {"outer": tuple((f"x{n}", how) for n in range(260)), **{f"x{n}": (n,) for n in range(260)}},
                times=1,
                ordered=alone,
            ),
            Program(
                f"as many of one that was launched at once {name}",
                {
                    "outer": (("x", HOW["at once"]),),
                    "x": tuple((f"y{n}", how) for n in range(260)),
                    **{f"y{n}": (n,) for n in range(260)},
                },
                times=1,
                ordered=alone,
            ),
        ]
    behind = HOW["behind"]
    programs += [
        Program("no way to launch", {"outer": (("x", 0), ("x", 5), ("x", behind | 8), ("null", 7), 1), "x": (2,)}),
        Program(
            "behind what is behind",
            {
                "outer": (("b", behind), ("c", behind), 1),
                "b": (("d", behind), 2, ("e", behind)),
                **{name: (digit,) for name, digit in (("c", 3), ("d", 4), ("e", 5))},
            },
        ),
        Program(
            "each other",
            {"outer": (("a", behind),), "a": (1, ("b", behind)), "b": (2, ("a", behind))},
            tries=9,
        ),
        Program("twice behind", {"outer": (("x", behind), ("x", behind), 1), "x": (2,)}),
    ]
    return programs


def drawn(number: int) -> Program:
    """Return one of the programs that are drawn: graphs are launched behind each other, or each but once, somehow."""
    draw = random.Random(number)  # noqa: S311 - no secret
    names = [f"g{n}" for n in range(draw.randint(1, 5))]
    ordered = draw.random() < 0.6
    left = list(names)
    graphs: dict[str, tuple[Any, ...]] = {}
    for at, name in enumerate(["outer", *names]):
        chain: list[Any] = [at] * draw.randint(0, 1)
        for _ in range(draw.randint(name == "outer", 3)):
            if ordered:
                chain.append(
                    (draw.choice([*names, "null", ""] if name != "outer" else [*names, "null"]), HOW["behind"])
                )
            elif left:
                chain.append((left.pop(draw.randrange(len(left))), draw.choice(list(HOW.values()))))
            if draw.random() < 0.5:
                chain.append(at)
        graphs[name] = tuple(chain) or (at,)
    hidden = tuple(name for name in names if draw.random() < 0.1)
    return Program(f"drawn {number}", graphs, draw.randint(1, 12) if ordered else 1000, ordered=ordered, hidden=hidden)


def programs() -> list[Program]:
    """Return all programs, in order."""
    return [*made(), *map(drawn, range(DRAWN))]


class Runner:
    """What runs programs, in a context of its own.

    Args:
        driver: The driver, as ``cuda.bindings.driver`` is one.
    """

    def __init__(self, driver: Any) -> None:
        self._d = driver
        self._do("cuInit", 0)
        self._do("cuCtxCreate", None, 0, self._do("cuDeviceGet", DEVICE))
        module = self._do("cuModuleLoadData", PTX + b"\0")
        self._kernels = {name: self._do("cuModuleGetFunction", module, name.encode()) for name in ("append", "launch")}
        self._stream = self._do("cuStreamCreate", 1)
        self._place = int(self._do("cuMemAllocHost", 4 * (ROOM + 2))) + 4
        self._list = (ctypes.c_uint32 * (ROOM + 2)).from_address(self._place - 4)

    def _do(self, name: str, *args: Any) -> Any:
        code, *results = getattr(self._d, name)(*args)
        if code:
            msg = f"{name} answers {code!r}"
            raise RuntimeError(msg)
        return results[0] if results else None

    def _chain(self, nodes: tuple[Any, ...], handles: dict[str, int], number: int) -> Any:
        """Return a graph of kernels one behind the other."""
        graph = self._do("cuGraphCreate", 0)
        last: list[Any] = []
        for at, node in enumerate(nodes):
            values: list[Any] = [ctypes.c_uint64(self._place), ctypes.c_uint32(node if isinstance(node, int) else 0)]
            name = "append"
            if not isinstance(node, int):
                name, (target, how) = "launch", node
                handle = {"": ITSELF, "null": 0}.get(target, handles.get(target, 0))
                values[1] = ctypes.c_uint32(CODES * (number + 1) + 10 * at)
                values += [ctypes.c_uint64(handle), ctypes.c_uint64(how)]
            params = self._d.CUDA_KERNEL_NODE_PARAMS()
            params.func = self._kernels[name]
            for side in ("gridDimX", "gridDimY", "gridDimZ", "blockDimX", "blockDimY", "blockDimZ"):
                setattr(params, side, 1)
            places = (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values))
            params.kernelParams = ctypes.addressof(places)
            last = [self._do("cuGraphAddKernelNode", graph, last or None, len(last), params)]
        return graph

    def run(self, program: Program) -> list[Any]:
        """Run a program, and return what cuGraphLaunch and cuStreamSynchronize answered and what was written, each time."""
        names = list(program.graphs)
        handles: dict[str, int] = {}
        # What a graph launches has to be there before it: those that launch each other are changed to do so.
        for name in names:
            if name != "outer":
                empty = self._chain((("null", 0),) * len(program.graphs[name]) or (0,), {}, 0)
                handles[name] = int(self._do("cuGraphInstantiate", empty, DEVICE_LAUNCH))
        for number, name in enumerate(names):
            graph = self._chain(program.graphs[name] or (0,), handles, number)
            if name == "outer":
                outer = self._do("cuGraphInstantiate", graph, 0)
                continue
            executable = self._d.CUgraphExec(handles[name])
            self._do("cuGraphExecUpdate", executable, graph)
            if name not in program.hidden:
                self._do("cuGraphUpload", executable, self._stream)
        self._do("cuStreamSynchronize", self._stream)
        found = []
        for _ in range(program.times):
            self._list[0], self._list[1] = program.tries, 0
            codes = [
                int(self._d.cuGraphLaunch(outer, self._stream)[0]),
                int(self._d.cuStreamSynchronize(self._stream)[0]),
            ]
            written = list(self._list[2 : 2 + self._list[1]])
            found.append([*codes, written if program.ordered else sorted(written)])
        return found


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.record.device_launch", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--out", type=Path, required=True, help="the answers, JSON lines")
    options = parser.parse_args()
    runner = Runner(import_module("cuda.bindings.driver"))
    lines = [json.dumps({"program": one.name, "answers": runner.run(one)}) for one in programs()]
    options.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
