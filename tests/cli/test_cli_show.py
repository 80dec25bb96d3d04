"""``show``: the tables of the machine, of a process, and what is said of one object."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.explain.reports.text import shown, size, table
from fakecuda.prompt.show import show_text
from fakecuda.prompt.tables import LISTINGS, topics
from tests.cli.conftest import WORLD

if TYPE_CHECKING:
    from fakecuda.prompt.console import Prompt

NARROW = 80


def rows(prompt: Prompt, topic: str) -> list[list[str]]:
    """Return a table's rows below its titles, addresses as 0x."""
    lines = show_text(prompt.machine, topic, 200).splitlines()[1:]
    return [[re.sub(r"0x\w{9,}", "0x", cell) for cell in re.split(r"\s{2,}", line)] for line in lines]


def test_every_kind_of_object_has_its_line(world: Prompt) -> None:
    """Holes, access by device, importers and enabled peers included; a process is named once."""
    assert rows(world, "memory") == [
        ["a", "0x", "3 MiB", "0", "allocation", "context 0x"],
        ["", "0x", "2 MiB", "0", "mapping", "handle 0x"],
        ["b", "0x", "3 MiB", "1", "IPC mapping", "of process a, opened once"],
    ]
    assert rows(world, "reservations") == [
        ["a", "0x", "6 MiB", "reservation"],
        ["", "0x", "2 MiB", "hole"],
        ["", "0x", "2 MiB", "mapping", "0x", "0 rw"],
        ["", "0x", "2 MiB", "hole"],
    ]
    world.feed(["_ = a.c.cuMemMap(r, 2 << 20, 0, h, 0), a.c.cuMemUnmap(r + (2 << 20), 2 << 20)"])
    assert [row[2:] for row in rows(world, "reservations")] == [
        ["6 MiB", "reservation"],
        ["2 MiB", "mapping", "0x", "none"],
        ["4 MiB", "hole"],
    ]
    assert rows(world, "handles") == [["a", "0x", "2 MiB", "0", "1", "1", "descriptor"]]
    assert [row[2:] for row in rows(world, "contexts")] == [
        ["0", "primary", "1", "0x8", "1"],
        ["1", "primary", "1", "0x8", "0"],
        ["1", "primary", "1", "0x8", "1"],
    ]
    assert rows(world, "processes") == [["a", "ready", "2", "2", "1", "1"], ["b", "ready", "1", "1", "0", "0"]]
    allocation, handle, importer = show_text(world.machine, "ipc", 200).splitlines()[-3:]
    assert "allocation on device 0" in allocation
    assert "  IPC handle " in handle
    assert re.match(r"b +0x\w+ +3 MiB +opened once in context 0x\w+$", importer)


def test_peers_are_matrices(world: Prompt) -> None:
    """Which device can reach which, and for which contexts access is enabled."""
    text = show_text(world.machine, "peers", NARROW)
    links, peers = text.split("\n\n")
    assert [line.split() for line in links.splitlines()[2:]] == [["0", "own", "can"], ["1", "can", "own"]]
    assert [line.split()[-2:] for line in peers.splitlines()[2:]] == [["own", "on"], ["can", "own"], ["can", "own"]]


def test_stacks_stand_by_thread(world: Prompt) -> None:
    """The current context first; a thread without one is named, too."""
    world.feed(["_ = a.c.cuCtxPushCurrent(other)", "_ = a.thread('idle').c.cuCtxGetCurrent()"])
    assert rows(world, "stacks") == [
        ["a", "main", "current", "0x", "device 1, primary"],
        ["", "1 below", "0x", "device 0, primary"],
        ["", "idle", "none"],
        ["b", "main", "current", "0x", "device 1, primary"],
    ]


def test_exported_descriptors_name_their_holders(world: Prompt) -> None:
    """The open copies in this process and the handles of every process."""
    world.feed(["_, fd = a.c.cuMemExportToShareableHandle(h, 1, 0)", "_ = b.c.cuMemImportFromShareableHandle(fd, 1)"])
    first, second = rows(world, "exports")
    assert first == [str(world.locals["fd"]), "2 MiB", "0", "a 0x (1)"]
    assert second[-1] == "b 0x (1)"
    os.close(world.locals["fd"])
    assert rows(world, "exports")[0][0] == "none here"


def test_the_overview_names_the_other_topics(world: Prompt) -> None:
    """Nothing is wider than the terminal."""
    text = show_text(world.machine, width=NARROW)
    assert [line for line in text.splitlines() if line in topics()] == ["devices", "processes", "contexts", "stacks"]
    assert set(re.findall(r"\w+", text.rpartition("More:")[2])) >= {
        "memory",
        "va",
        "handles",
        "peers",
        "ipc",
        "exports",
    }
    for what in (*topics(), world.locals["a"], world.locals["p"], world.locals["r"], 3.5):
        assert max(map(len, show_text(world.machine, what, NARROW).splitlines())) <= NARROW


def test_a_process_is_shown_alone(world: Prompt) -> None:
    """Its rows of every table that has rows by process."""
    text = show_text(world.machine, world.locals["b"], NARROW)
    assert [line for line in text.splitlines() if line in topics()] == [
        "processes", "contexts", "stacks", "memory", "peers", "ipc",
    ]  # fmt: skip
    assert "allocation" not in text.partition("memory\n")[2]
    with Machine() as other:
        assert "belongs to another machine" in show_text(other, world.locals["b"])


def test_an_address_or_a_handle_is_explained(world: Prompt) -> None:
    """What it is, whose, and where it came from; an address inside names what holds it."""
    allocation = show_text(world.machine, world.locals["p"] + 5, NARROW).splitlines()
    assert re.match(r"allocation 0x\w+\+0x300000 on device 0 of process a$", allocation[0])
    assert "  size         0x300000 (3 MiB)" in allocation
    assert "  allocated at <input 5>:1: _, p = a.c.cuMemAlloc(3 << 20)" in allocation
    assert allocation[-1].strip() == "b.c.cuIpcOpenMemHandle(a.c.cuIpcGetMemHandle(p)[1], 1)"
    both = show_text(world.machine, world.locals["r"] + (2 << 20), NARROW).split("\n\n")
    assert [text.partition(" ")[0] for text in both] == ["mapping", "reservation"]
    assert "created at <input 8>:1: _, h" in show_text(world.machine, world.locals["h"], NARROW)
    share = next(iter(world.machine.exchange.shares.values()))
    assert show_text(world.machine, share.handle, NARROW).startswith("IPC handle")
    assert show_text(world.machine, share, NARROW).startswith("IPC handle")
    context = world.machine.processes["a"].current_thread().stack[-1]
    assert re.search(r"peers +primary context", show_text(world.machine, context.handle, NARROW))


def test_what_is_gone_is_explained(world: Prompt) -> None:
    """A freed allocation and a destroyed context keep their history."""
    world.feed(["_, q = a.c.cuMemAlloc(8)", "_ = a.c.cuMemFree(q)", "_, k = a.c.cuCtxCreate(None, 0, 0)"])
    assert "freed at <input 12>:1: _ = a.c.cuMemFree(q)" in show_text(world.machine, world.locals["q"], NARROW)
    world.feed(["_ = a.c.cuCtxDestroy(k)", "b.exit()"])
    assert show_text(world.machine, world.locals["k"], NARROW).startswith("destroyed context")
    assert ["0", "destroyed", "0x0", "0"] in [row[2:] for row in rows(world, "contexts")]
    assert rows(world, "processes")[1][:2] == ["b", "ended"]
    assert "not open" in show_text(world.machine, "ipc")


def test_handles_of_the_bindings_are_explained(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """Pointer, context and IPC handle in the classes that calls return."""
    prompt.feed(
        [
            "d = a.driver; p = d.cuMemAlloc(8)[1]",
            "show(p); show(d.cuCtxGetCurrent()[1]); show(d.cuIpcGetMemHandle(p)[1])",
        ]
    )
    told = [line.partition(" 0x")[0] for line in capsys.readouterr().out.splitlines() if line[0] != " "]
    assert [re.sub(r"e \w+….*", "e", line) for line in told] == ["allocation", "primary context", "IPC handle"]


def test_mistakes_are_answered(prompt: Prompt) -> None:
    """By the topics there are."""
    assert show_text(prompt.machine, "memry") == "'memry' is not a topic; did you mean: memory"
    assert show_text(prompt.machine, "handles") == "handles: none"
    assert show_text(prompt.machine, "kernels") == show_text(prompt.machine, "code") == "code: none"
    assert show_text(prompt.machine, 77) == "77 is not an address or a handle of this machine"
    assert "topics: overview, devices," in show_text(prompt.machine, 3.5, 200)


def test_names_of_tables_are_unique() -> None:
    """Else one would answer for two."""
    assert len({item.name for item in LISTINGS}) == len(LISTINGS)


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0"), (1, "1 B"), (4096, "4 KiB"), (3 << 20, "3 MiB"), (1 << 60, "1 EiB"), (150_000_000_000, "~139.7 GiB"),
     (10_001, "~9.8 KiB"), (9_999, "9999 B")],
)  # fmt: skip
def test_sizes_are_for_people(count: int, text: str) -> None:
    """Exact where that is short."""
    assert size(count) == text


def test_numbers_are_justified_to_the_right() -> None:
    """Under a title that says so."""
    assert table(("a", ">n"), [("x", "1"), ("yy", "22")], 80) == "a    n\nx    1\nyy  22"


def test_values_are_shown_by_kind() -> None:
    """Sizes with their unit, addresses bare, collections by their members."""
    assert [shown(value) for value in (None, True, 7, 2 << 20, 1 << 45, {1 << 45: None}, {0: 3}, [1, 2], {"x"})] == [
        "nothing", "yes", "7", "0x200000 (2 MiB)", "0x200000000000", "0x200000000000", "0: 3", "1, 2", "x",
    ]  # fmt: skip
    assert len(WORLD) == 9  # the inputs' numbers above count on it


def test_events_are_shared_like_memory(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """The graph has the event, its handle and who opened it; the handle finds it, in the class that calls return."""
    prompt.feed(
        [
            "_, e = a.driver.cuEventCreate(6)",
            "_, h = a.driver.cuIpcGetEventHandle(e)",
            "show('ipc')",
            "_ = b.c.cuInit(0), b.c.cuCtxSetCurrent(b.c.cuDevicePrimaryCtxRetain(1)[1])",
            "_, o = b.driver.cuIpcOpenEventHandle(h)",
            "show('ipc')",
            "show(h)",
            "history(h)",
            "show(o)",
        ]
    )
    out = re.sub(r"0x\w+", "0x", capsys.readouterr().out)
    assert ", not open\n" in out
    assert "    opened in context 0x\n" in out
    assert out.count("event 0x of primary context") == 3
    assert "of process a\n" in out
    assert "cuIpcOpenEventHandle(handle=h) -> SUCCESS, phEvent=o\n" in out
    assert "b''" not in out
    prompt.feed(["_ = a.driver.cuEventDestroy(e)"])
    assert "ended event in context" in show_text(prompt.machine, "ipc", 200)


def test_the_team_of_a_multicast_object_is_shown() -> None:
    """It lies on no one device."""
    with Machine("h200-x2") as machine:
        c = machine.spawn("a").c
        c.cuInit(0)
        _, handle = c.cuMulticastCreate((2, 2 << 20, 1, 0))
        assert "team 0/2" in show_text(machine, "handles")
        for device in (1, 0):
            c.cuMulticastAddDevice(handle, device)
        assert "team 2/2" in show_text(machine, "handles")
