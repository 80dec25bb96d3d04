"""The prompt at a real terminal: keys typed, Tab pressed, the screen read."""

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

from tests.limits import LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PROMPT = ">>> "
CONTROL = re.compile(r"\x1b\[[?0-9;]*[@-~]|[\r\a]")
TAB, KILL_LINE, LEFT = "\t", "\x15", "\x02"


class Terminal:
    """A person at the prompt.

    Args:
        kind: TERM.
        arguments: Of the command.
        prompt: What it prints when it is ready.
    """

    def __init__(self, kind: str, arguments: Sequence[str] = ("--plain",), prompt: str = PROMPT) -> None:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": kind, "INPUTRC": os.devnull, "COLUMNS": "80", "PYTHONSTARTUP": ""}
        self.child = subprocess.Popen(
            [sys.executable, "-m", "fakecuda", *arguments],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=environment,
            start_new_session=True,
        )
        os.close(theirs)
        self.terminal = ours
        self.banner = self.read(prompt)

    def read(self, until: str) -> str:
        """Return what is printed up to and with this text, and what came along."""
        seen = ""
        data = b""
        deadline = time.monotonic() + LONG
        while until not in seen and time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.1)[0]:
                try:
                    data += os.read(self.terminal, 65536)
                except OSError:  # Linux: the other end is closed
                    break
                seen = CONTROL.sub("", data.decode(errors="replace"))
        assert until in seen, seen
        return seen

    def type(self, keys: str, until: str = f"\n{PROMPT}") -> str:
        """Type these keys and return what is printed up to and with this text."""
        os.write(self.terminal, keys.encode())
        return self.read(until)

    def close(self) -> int:
        """Press ctrl-D and return the exit status."""
        os.write(self.terminal, b"\x04")
        try:
            return self.child.wait(LONG)
        finally:
            self.child.kill()
            os.close(self.terminal)


@pytest.fixture(params=["dumb", "xterm"])
def terminal(request: pytest.FixtureRequest) -> Iterator[Terminal]:
    """Return a prompt at a terminal; ctrl-D ends it with status 0."""
    terminal = Terminal(request.param)
    yield terminal
    assert terminal.close() == 0


def test_a_person_tries_a_call_and_asks_why(terminal: Terminal) -> None:
    """The words of the prompt are at hand, results are shown."""
    assert "machine h200-x2: 2 x NVIDIA H200" in terminal.banner
    assert max(map(len, terminal.banner.splitlines())) <= 80
    assert "\n(0,)\n" in terminal.type("a.c.cuInit(0)\n")
    assert "\n(201, None)\n" in terminal.type("a.c.cuMemAlloc(0)\n")
    assert "the calling thread has a current context" in terminal.type("why()\n")
    assert "2  a/main  cuMemAlloc(bytesize=0) -> INVALID_CONTEXT\n" in terminal.type("history()\n")
    assert "\nb        not initialised" in terminal.type("show()\n")


def test_tab_completes(terminal: Terminal) -> None:
    """Functions on a surface, members of an enum, functions inside quotes, an indent."""
    assert "cuDeviceGetCount()\n" in terminal.type(f"a.c.cuDeviceGetCou{TAB}\n")
    shown = terminal.type(f"CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_REC{TAB} + 0\n")
    assert "\n1\n" in shown
    assert "\ncuMemRetainAllocationHandle\n" in terminal.type(f"rules('cuMemRet{TAB})\n")
    terminal.type("if True:\n", "\n... ")
    assert "\n42\n" in terminal.type(f"{TAB}6 * 7\n\n")


def test_tab_fills_in_a_live_handle(terminal: Terminal) -> None:
    """The one context of the process, which works where it lands."""
    terminal.type("_ = a.c.cuInit(0), a.c.cuCtxCreate(None, 0, 0)\n")
    assert "\n(<CUresult.CUDA_SUCCESS: 0>,)\n" in terminal.type(f"driver.cuCtxSetCurrent({TAB})\n")


def test_tab_shows_what_there_is_to_choose(terminal: Terminal) -> None:
    """The call's parameters, the candidates with what they are, and the line again, with the cursor where it was."""
    call = "driver.cuMemUnmap("
    shown = terminal.type(f"{call}{TAB}", f"\n{PROMPT}{call}")
    assert shown.endswith(
        f"cuMemUnmap([ptr: CUdeviceptr], size: size_t)\n  ptr=   CUdeviceptr\n  size=  size_t\n{PROMPT}{call}"
    )
    terminal.type(f"{KILL_LINE}\n")
    line = "int(CUmemAccess_flags.)  # end"
    back = "\b" * 8
    shown = terminal.type(f"{line}{LEFT * 8}{TAB}", f"\n{PROMPT}{line}{back}CU_MEM_ACCESS_FLAGS_PROT_")
    assert "\n  CU_MEM_ACCESS_FLAGS_PROT_READWRITE  3\n" in shown
    assert "\n3\n" in terminal.type(f"READW{TAB}\n")
