"""Claims of pages about missing features, and programs that test each claim."""

from __future__ import annotations

import ast
import ctypes
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import fakecuda
from fakecuda import Machine, UndefinedBehaviour
from fakecuda.rules.registry import EVERY_API
from tests.docs.blocks import ROOT
from tests.docs.pages import text_of
from tests.model.world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOT_MODELLED, RACES = "docs/not_modelled.md", "docs/races.md"
CODE = b".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry claimed(.param .u64 place) { ret; }\n"
GENERAL = re.compile(r"(calls?|functions) that (is|are) not modelled|why \w+ forms are not modelled")
"""Claims about all calls that are not modelled, or about a generated list."""
FROM_TABLES = {
    "docs/clients.md": "tools/clients/suites.toml",
    "docs/spec_notes.md": "tests/ledger",
    NOT_MODELLED: "this page",
}
"""Pages whose claims are proved elsewhere."""
CALL = re.compile(r"`((?:cu|hip|nvml)[\w*]+)`")

SITES = {
    "rules/capturing.py": "runtime calls that make no driver call, in a captured stream",
    "rules/dispatch.py": "other parameters of memory nodes and conditional nodes",
    "rules/driver/array/array_get_properties.py": "arrays of several planes",
    "rules/driver/checkpoint/checkpoint_process.py": "checkpoints in the caller's own storage",
    "rules/driver/graph/any_node.py": "other parameters of memory nodes and conditional nodes",
    "rules/driver/graph/batch_mem_op.py": "batch nodes and pool nodes with access, added to a graph",
    "rules/driver/graph/conditional.py": "a conditional switch with more than 4096 graphs",
    "rules/driver/graph/memory.py": "batch nodes and pool nodes with access, added to a graph",
    "rules/driver/library/library_get_managed.py": "unified functions of a library",
    "rules/driver/library/module.py": "a library that is used on devices of different architectures",
    "rules/driver/stream/capture_state.py": "batch copies in a captured stream",
    "rules/driver/stream/captured.py": "batch copies in a captured stream",
    "rules/driver/stream/captured_memory.py": "pool memory of the host, in a captured stream",
    "rules/driver/stream/nodes.py": "launches with external events, in a captured stream",
    "rules/driver/tensor/tensor_map_replace_address.py": "`cuTensorMapReplaceAddress`",
    "rules/driver/va/mem_map_array_async.py": "maps of memory to arrays in a fork",
    "rules/runtime/any_node.py": "other parameters of memory nodes and conditional nodes",
    "rules/forms/earliest.py": "calls in contexts of CUDA 3.1 that no card was asked, and such contexts on a second device",
    "rules/forms/narrow.py": "calls in contexts of CUDA 3.1 that no card was asked, and such contexts on a second device",
    "model/code/host_files.py": "host objects and libraries without device code, or with several pieces of it, as inputs of a linker",
    "model/code/cubin_writer.py": "parameters of 16 KiB and more in linked code",
    "model/graph/graph_run.py": "graphs with copies that a kernel launches",
    "model/os/process.py": "a process that was restored on other cards, and shares memory then",
}
"""The modules with messages "not modelled", each with a row of the page."""

# Who tries a part: a file of tests and a text in it.
EDGES, MIGRATION = "tests/model/test_edges.py", "tests/model/test_migration.py"
CAPTURE, NODES = "tests/model/test_capture.py", "conformance/cases/driver/graph/test_any_node.py"
MORE = "def test_a_launch_of_which_more_would_be_made_is_no_node"
FAR = "def test_memory_of_far_callers_is_not_read"
BENEATH = "def test_calls_beneath_that_are_not_modelled_in_a_capture_say_so"
PARTS = {
    "a kernel without a Python function": ("tests/model/test_kernels.py", "has no Python function"),
    "operands of some instructions of PTX": (
        "tests/model/test_ptx_instructions.py",
        "def test_what_the_table_does_not_say",
    ),
    "arrays of several planes": (
        "conformance/cases/driver/array/test_array_create.py",
        'breaks("FORMAT_IS_KNOWN", "several planes"',
    ),
    "maps of memory to arrays in a fork": ("tests/model/test_sparse_arrays.py", "def test_a_fork_maps_nothing"),
    "host objects and libraries without device code, or with several pieces of it, as inputs of a linker": (
        "tests/kernels/test_linked.py",
        "def test_other_files_of_the_host",
    ),
    "parameters of 16 KiB and more in linked code": (
        "tests/model/test_linking.py",
        "def test_large_parameters_are_not_written",
    ),
    "unified functions of a library": (EDGES, "def test_unified_functions_say_that_they_are_not_modelled"),
    "a library that is used on devices of different architectures": (
        "tests/model/test_kernels.py",
        "def test_a_library_on_unlike_devices",
    ),
    "checkpoints in the caller's own storage": (MIGRATION, "def test_storage_of_the_callers_own"),
    "a process that shares memory, restored on other cards": (
        MIGRATION,
        'match="have the other process close the memory"',
    ),
    "a process that was restored on other cards, and shares memory then": (
        MIGRATION,
        "def test_what_is_shared_afterwards_is_refused",
    ),
    "other parameters of memory nodes and conditional nodes": (NODES, 'world("TYPE_IS_MODELLED", "of memory"'),
    "a conditional switch with more than 4096 graphs": (NODES, 'breaks("GRAPHS_ARE_FEW"'),
    "batch copies in a captured stream": (CAPTURE, BENEATH),
    "runtime calls that make no driver call, in a captured stream": (CAPTURE, BENEATH),
    "pool memory of the host, in a captured stream": (CAPTURE, "cuMemAllocFromPoolAsync is not modelled while"),
    "launches that may begin early, behind kernels and other work, in a captured stream": (CAPTURE, MORE),
    "launches with external events, in a captured stream": (CAPTURE, MORE),
    "calls in contexts of CUDA 3.1 that no card was asked, and such contexts on a second device": (
        "tests/rules/test_contexts_of_cuda_3_1.py",
        "refused(c.cuCtxCreate_v1, 0, 1)",
    ),
}
ATTACHED = {
    "`cuTensorMapReplaceAddress`": (EDGES, "def test_tensor_maps_of_far_callers_are_not_written"),
    "batch nodes and pool nodes with access, added to a graph": (EDGES, FAR),
    "graphs with copies that a kernel launches": (
        "tests/model/test_device_launch.py",
        "launch the graph in the OS process that made the machine",
    ),
    "copies behind a condition that a kernel sets": (
        "tests/docs/test_not_modelled.py",
        "def test_copies_behind_a_condition_of_a_far_caller",
    ),
}


def cells(page: str, heading: str) -> Iterator[list[str]]:
    """Yield the cells of each row of the tables below a heading, up to the next heading of any level."""
    _, found, below = text_of(page).partition(f"\n{heading}\n")
    assert found, heading
    for line in re.split(r"^#", below, maxsplit=1, flags=re.MULTILINE)[0].splitlines():
        if line.startswith("| ") and not line.startswith("|---"):
            yield line.strip("| ").split(" | ")


def firsts(page: str, heading: str) -> list[str]:
    """Return the first cells of a table without its head."""
    return [row[0] for row in cells(page, heading)][1:]


def patterns() -> list[str]:
    """Return the names and patterns of calls in the page's tables."""
    headings = ("### Driver and runtime", "### HIP", "### NVML")
    return [name for one in headings for cell in firsts(NOT_MODELLED, one) for name in CALL.findall(cell)]


def calls(pattern: str) -> dict[str, bool]:
    """Return the calls that a pattern matches, and whether each is modelled."""
    every = ((name, name in api.ops) for api in EVERY_API.values() for name in api.calls)
    return {name: modelled for name, modelled in every if fnmatchcase(name, pattern)}


def elsewhere(page: str, text: str) -> Iterator[str]:
    """Yield the claims of another page that something is not modelled, without a link to the page that is tested.

    Args:
        page: The page's path.
        text: What it says.
    """
    prose = " ".join(re.sub(r"```.*?```", "", text, flags=re.DOTALL).split())
    for sentence in re.split(r"(?<=[.:|]) ", prose):
        claimed = re.search(r"not modelled|unmodelled|does not model|models no ", sentence)
        if claimed and "](" not in sentence and not GENERAL.search(sentence):
            yield f"{page}: {sentence}"


def sites() -> set[str]:
    """Return the modules of rules and of the model that put a message together which says "not modelled"."""
    paths = (path for folder in ("rules", "model") for path in sorted((ROOT / "fakecuda" / folder).rglob("*.py")))
    return {path.relative_to(ROOT / "fakecuda").as_posix() for path in paths if says(path.read_text(encoding="utf-8"))}


def says(source: str) -> bool:
    """Return whether code has such a message; docstrings do not count."""
    if "modelled" not in source:
        return False
    tree = ast.parse(source)
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return any(
        (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and "not modelled" in node.value
            and id(node) not in silent
        )
        or (isinstance(node, ast.Name) and node.id in {"unmodelled", "TYPE_IS_MODELLED"})
        for node in ast.walk(tree)
    )


class Streams:
    """A process with three non-blocking streams, memory, and the machine of both.

    Args:
        machine: The machine.
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.c: Any = started(machine).c
        self.one, self.two, self.third = (done(self.c.cuStreamCreate(1)) for _ in range(3))
        self.place, self.other, self.flag = (int(done(self.c.cuMemAlloc(1 << 16))) for _ in range(3))
        self.module = done(self.c.cuModuleLoadData(CODE))  # a later load would wait
        done(self.c.cuMemsetD32(self.flag, 0, 1))
        done(self.c.cuCtxSynchronize())

    def fill(self, stream: int) -> None:
        """Write the memory in a stream."""
        done(self.c.cuMemsetD8Async(self.place, 1, 64, stream))

    def function(self, does: Callable[..., object]) -> int:
        """Return a new function of a kernel that a Python function describes."""
        fakecuda.kernel("claimed", "u8*")(does)
        return int(done(self.c.cuModuleGetFunction(self.module, b"claimed")))

    def launch(self, stream: int) -> None:
        """Write the memory by a kernel in a stream."""
        function = self.function(lambda _grid, _block, to: to.__setitem__(0, 1))
        held = ctypes.c_uint64(self.place)
        places = (ctypes.c_void_p * 1)(ctypes.addressof(held))
        done(self.c.cuLaunchKernel(function, *[1] * 6, 0, stream, ctypes.addressof(places), 0))

    def graph(self, *fills: int) -> int:
        """Return an executable graph that fills places of the memory, with nothing that orders its nodes."""
        of = done(self.c.cuGraphCreate(0))
        for offset in fills:
            done(self.c.cuGraphAddMemsetNode(of, None, 0, (self.place + offset, 0, 7, 1, 16, 1), 0))
        return int(done(self.c.cuGraphInstantiate(of, 0)))


def is_found(race: Callable[[Streams], object], **options: Any) -> bool:
    """Return whether a race is found on a machine with options."""
    with Machine("h200-x2", seed=1, **options) as machine:
        streams = Streams(machine)
        try:
            race(streams)
        except UndefinedBehaviour as raised:
            return raised.finding.rule.id == "stream.race.ACCESSES_ARE_ORDERED"
        return machine.findings != []
