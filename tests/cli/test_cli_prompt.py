"""The prompt: driven through a pipe and through a real terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.__main__ import main
from fakecuda.prompt import TABLES, Prompt, show_text, why_text

if TYPE_CHECKING:
    from collections.abc import Iterator

PROMPT = b">>> "
LIMIT = 20


def piped(text: str, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the prompt with this text on a pipe."""
    command = [sys.executable, "-m", "fakecuda", *options]
    return subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=False)


def test_a_pipe_gets_results_alone() -> None:
    """No banner and no prompt stand between the results."""
    done = piped("a.c.cuInit(0)\na.c.cuDeviceGetCount()\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, "(0,)\n(0, 2)\n", "")


def test_a_pipe_needs_no_empty_lines() -> None:
    """A block ends where the next statement begins; brackets, strings and else belong to their statement."""
    text = "def f():\n    n = 1\n\n    return n\n\nf()\nfor i in (2,):\n    i\nelse:\n    3\n(\n4\n)\n'''a\nb'''\nif f():\n    5\n"
    assert piped(text).stdout.split("\n")[:-1] == ["1", "2", "3", "4", "'a\\nb'", "5"]


def test_a_statement_that_raises_shows_in_the_status() -> None:
    """What follows it runs all the same."""
    done = piped("1/0\n2\n")
    assert (done.returncode, done.stdout) == (1, "2\n")
    assert "ZeroDivisionError" in done.stderr
    assert piped("1 +* 2\n").returncode == 1


def test_undefined_behaviour_is_told_without_a_traceback() -> None:
    """The finding says all; a lax machine goes on."""
    text = "a.c.cuInit(0)\na.c.cuMemRelease(7)\n"
    done = piped(text)
    assert done.stderr.startswith("UndefinedBehaviour: cuMemRelease in process a")
    assert "Traceback" not in done.stderr
    assert piped(text, "--lax").stderr == ""


def test_a_profile_can_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    """An unknown one is one line that lists what there is."""
    assert piped("a.c.cuInit(0)[0] or a.c.cuDeviceGetCount()[1]", "--profile", "h200-x8").stdout == "8\n"
    assert main(["--profile", "h2000"]) == 2
    assert capsys.readouterr().err.startswith("fakecuda: profile 'h2000' is unknown: use one of")


@pytest.fixture
def prompt() -> Iterator[Prompt]:
    """Return a prompt whose process a has the primary context of device 0 current."""
    with Machine("h200-x2") as machine:
        prompt = Prompt(machine)
        prompt.feed(["_ = a.c.cuInit(0), a.c.cuCtxSetCurrent(a.c.cuDevicePrimaryCtxRetain(0)[1])"])
        yield prompt


def test_why_tells_rule_source_and_state(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """The history of the object quotes what was typed."""
    prompt.feed(["_, p = a.c.cuMemAlloc(4096)", "_ = a.c.cuMemFree(p)", "a.c.cuMemFree(p)", "why()"])
    out = capsys.readouterr().out
    assert "INVALID_VALUE" in out.splitlines()[1]
    assert "  rule       memory.mem_free.POINTER_IS_A_BASE\n" in out
    assert "  code       CUDA_ERROR_INVALID_VALUE\n" in out
    assert "  grade      manual\n" in out
    assert re.search(r"  source     cuMemFree: “.+”\n", out)
    assert re.search(r"  state      found: allocation 0x[0-9a-f]+\+0x1000 on device 0\n", out)
    assert "allocated at <input 2>:1: _, p = a.c.cuMemAlloc(4096)\n" in out
    assert "freed at <input 3>:1: _ = a.c.cuMemFree(p)\n" in out
    assert "code.py" not in out


def test_why_counts_failing_calls(prompt: Prompt) -> None:
    """The last by default; any other by its number."""
    machine = prompt.machine
    assert why_text(machine) == "no call has broken a rule"
    prompt.feed(["_ = a.c.cuMemAlloc(0)", "_ = a.c.cuMemAlloc(1 << 60)", "_ = a.c.cuMemAlloc(1)"])
    assert "OUT_OF_MEMORY" in why_text(machine)
    assert "OUT_OF_MEMORY" in why_text(machine, 1)
    assert "the size is not 0" in why_text(machine, -2)
    assert "2 calls have broken a rule: why(-1) is about the last, why(-2)" in why_text(machine, -3)


def test_why_names_null_results(prompt: Prompt) -> None:
    """A set of names reads as words."""
    prompt.feed(["_ = a.c.cuMemAlloc(1, null='dptr')"])
    assert "  state      nulls: dptr" in why_text(prompt.machine)


def test_rules_and_show_answer_mistakes(prompt: Prompt, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong name is a line of text here, too."""
    prompt.feed(["rules('cuMemAloc')", "show('memry')", "show('peers')", "rules('cuMemAlloc')"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("'cuMemAloc' is no function of the driver API; near it: cuMemAlloc")
    assert lines[1] == "'memry' is no table; near it: memory"
    assert lines[2] == "peers: none"
    assert "cuMemAlloc" in lines


WORLD = """
_ = b.c.cuInit(0), b.c.cuCtxSetCurrent(b.c.cuDevicePrimaryCtxRetain(1)[1])
_, other = a.c.cuDevicePrimaryCtxRetain(1)
_ = a.c.cuCtxEnablePeerAccess(other, 0)
_, p = a.c.cuMemAlloc(3 << 20)
_ = b.c.cuIpcOpenMemHandle(a.c.cuIpcGetMemHandle(p)[1], 1)
prop = (1, 1, (1, 0), 0, (0, 0, 0))
_, h = a.c.cuMemCreate(2 << 20, prop, 0)
_, r = a.c.cuMemAddressReserve(4 << 20, 0, 0, 0)
_ = a.c.cuMemMap(r, 2 << 20, 0, h, 0), a.c.cuMemSetAccess(r, 2 << 20, (((1, 0), 3),), 1)
""".strip().splitlines()


def test_show_tells_the_state(prompt: Prompt) -> None:
    """Every kind of object has its table, and every object its line."""
    prompt.feed(WORLD)
    assert not prompt.failed
    machine = prompt.machine
    text = show_text(machine, width=200)
    assert [line for line in text.splitlines() if line in TABLES] == list(TABLES)
    memory = show_text(machine, "memory", 200)
    assert re.search(r"^a +0x[0-9a-f]+ +3 MiB +allocation +device 0 +context 0x", memory, re.MULTILINE)
    assert re.search(
        r"^a +0x[0-9a-f]+ +2 MiB +mapping +device 0 +handle 0x[0-9a-f]+, access device 0: 3$", memory, re.MULTILINE
    )
    assert re.search(
        r"^b +0x[0-9a-f]+ +3 MiB +IPC mapping +device [01] +of process a, opened once$", memory, re.MULTILINE
    )
    assert re.search(r"^a +0x[0-9a-f]+ +4 MiB +2 MiB +1$", show_text(machine, "reservations"), re.MULTILINE)
    assert re.search(r"^a +0x\w+ +device 0 +0x\w+ +device 1$", show_text(machine, "peers"), re.MULTILINE)
    assert max(map(len, show_text(machine, width=60).splitlines())) <= 60


def test_show_tells_what_has_ended(prompt: Prompt) -> None:
    """A freed export, a destroyed context and an ended process are named as such."""
    prompt.feed(
        [
            *WORLD,
            "_ = b.c.cuDevicePrimaryCtxReset(1)",
            "_, k = a.c.cuCtxCreate(None, 0, 0)",
            "a.c.cuCtxDestroy(k)",
            "b.exit()",
        ]
    )
    assert not prompt.failed
    assert "destroyed" in show_text(prompt.machine, "contexts")
    assert re.search(r"^b +ended", show_text(prompt.machine, "processes"), re.MULTILINE)
    assert "nobody" in show_text(prompt.machine, "ipc")


class Terminal:
    """A person at the prompt."""

    def __init__(self) -> None:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "dumb", "INPUTRC": os.devnull, "COLUMNS": "200", "PYTHONSTARTUP": ""}
        command = [sys.executable, "-m", "fakecuda"]
        self.child = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)
        self.terminal = ours
        self.read()

    def read(self, until: bytes = PROMPT) -> str:
        """Return what is printed up to the next prompt."""
        seen = b""
        deadline = time.monotonic() + LIMIT
        while until not in seen and time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    seen += os.read(self.terminal, 65536)
                except OSError:  # Linux: the other end is closed
                    break
        assert until in seen, seen
        return seen.decode().replace("\r\n", "\n").removesuffix(PROMPT.decode())

    def type(self, keys: str, until: bytes = PROMPT) -> str:
        """Type these keys and return what is printed up to the next prompt."""
        os.write(self.terminal, keys.encode())
        return self.read(until)

    def close(self) -> int:
        """Press ctrl-D and return the exit status."""
        os.write(self.terminal, b"\x04")
        try:
            return self.child.wait(LIMIT)
        finally:
            self.child.kill()
            os.close(self.terminal)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """Return a prompt at a terminal; ctrl-D ends it with status 0."""
    terminal = Terminal()
    yield terminal
    assert terminal.close() == 0


def test_a_person_tries_a_call_and_asks_why(terminal: Terminal) -> None:
    """The words of the prompt are at hand, results are shown."""
    assert terminal.type("a.c.cuInit(0)\n").endswith("\n(0,)\n")
    assert terminal.type("c.cuMemAlloc(0)\n").endswith("\n(201, None)\n")
    assert "a context is current to the calling thread" in terminal.type("why()\n")
    assert terminal.type("Result(201)\n").endswith("\n<Result.INVALID_CONTEXT: 201>\n")


def test_tab_completes_calls_enums_and_quoted_names(terminal: Terminal) -> None:
    """Functions on a surface, members of an enum, and functions inside quotes."""
    assert "cuDeviceGetCount()\n" in terminal.type("a.c.cuDeviceGetCou\t)\n")
    shown = terminal.type("CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_REC\t + 0\n")
    assert shown.endswith("\n1\n")
    assert "\ncuMemRetainAllocationHandle\n" in terminal.type("rules('cuMemRet\t)\n")
