"""Lines of native code, and what is shown where they cannot be read."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from fakecuda.model import history
from fakecuda.model.os import native_lines

if TYPE_CHECKING:
    from pathlib import Path

ANSWERS = {
    "main\n/home/me/a.c:7\n": "/home/me/a.c:7 in main",
    "main\n/home/me/a.c:7 (discriminator 2)\n": "/home/me/a.c:7 in main",
    "std::move(int)\n/home/me/a:b.cc:12\n": "/home/me/a:b.cc:12 in std::move(int)",
    "main\n/home/me/a.c:?\n": "{file}+0x1f in main",
    "main\n??:0\n": "{file}+0x1f in main",
    "??\n??:0\n": "{file}+0x1f",
    "": "{file}+0x1f",
    "move\n/usr/include/c++/12/bits/move.h:3\nmain\n/home/me/a.cc:7\n": "/home/me/a.cc:7 in main",  # inlined
    "move\n/usr/include/c++/12/bits/move.h:3\n": "/usr/include/c++/12/bits/move.h:3 in move",
    "help\n/usr/local/cuda-13.0/bin/../targets/x/include/crt/f.h:3\n"
    "__device_stub__Z1fv\n/tmp/tmpxft_0_0-6_k.cudafe1.stub.c:1\nf()\n/home/me/k.cu:3\nmain\n/home/me/k.cu:9\n": (
        "/home/me/k.cu:9 in main"
    ),
}


@pytest.fixture(autouse=True)
def _unread() -> None:
    native_lines._line.cache_clear()


def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Make a program of some text the only one that is found."""
    program = tmp_path / native_lines.READER
    program.write_text(text)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
def test_what_the_reader_knows_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """The file and the offset stand for what it does not know."""
    reader(tmp_path, monkeypatch, f"#!/bin/sh\nprintf '{answer}'\n")
    file = str(tmp_path / "a.out")
    assert native_lines.native_line(file, 31) == ANSWERS[answer].format(file=file)


@pytest.mark.parametrize("text", ["#!/bin/sh\necho main; echo a.c:7; exit 1\n", "#!/no/such/program\n"])
def test_a_reader_that_fails_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """It answers with an error, or cannot be run."""
    reader(tmp_path, monkeypatch, text)
    assert native_lines.native_line("/a.out", 31) == "/a.out+0x1f"


def test_without_a_reader_files_and_offsets_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where binutils are not installed. A name that is no path is never looked for in the current folder."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert native_lines.native_line("/a.out", 31) == "/a.out+0x1f"
    reader(tmp_path, monkeypatch, "#!/bin/sh\necho main; echo a.c:7\n")
    assert native_lines.native_line("a.out", 31) == "a.out+0x1f"


def test_a_program_that_is_built_again_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was known of the old file is not shown; an unchanged file is read once."""
    reader(tmp_path, monkeypatch, f"#!/bin/sh\necho >>{tmp_path}/runs; /bin/cat {tmp_path}/a.out\n")
    program = tmp_path / "a.out"
    program.write_text("old\n/a.c:7\n")
    assert [native_lines.native_line(str(program), 31) for _ in range(2)] == ["/a.c:7 in old"] * 2
    new = tmp_path / "new"
    new.write_text("new\n/a.c:8\n")
    new.replace(program)
    assert native_lines.native_line(str(program), 31) == "/a.c:8 in new"
    assert (tmp_path / "runs").read_text() == "\n" * 2


def test_a_stack_may_have_native_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a line of the stack, but no line of Python that a traceback could show."""
    monkeypatch.setenv("PATH", str(tmp_path))
    own = test_a_stack_may_have_native_code.__code__
    native = own.replace(co_filename="/a.out", co_qualname=history.native_name(31))
    stack = native, 0, own, 0
    assert history.lines(stack)[0] == "/a.out+0x1f"
    assert history.user_lines(stack) == [(__file__, own.co_firstlineno, own.co_name)]
    assert [history.native_offset(own.replace(co_qualname=name)) for name in ("+0x1f", "+0xzz", "f")] == [
        31,
        None,
        None,
    ]


def test_the_nearest_frames_of_native_code_are_kept() -> None:
    """The user's, and one of a library beneath them; the innermost ones if none is the user's."""
    library, cuda, mine = ("/usr/lib/libc.so.6", 1), ("/home/me/libcublas.so.12", 2), ("/home/me/libcustom.so", 3)
    assert history.nearest([library, cuda, cuda, mine, library, mine]) == [cuda, mine, library, mine]
    assert history.nearest([mine, cuda]) == [mine, cuda]
    assert history.nearest([library, cuda]) == [library, cuda]
    assert history.nearest([mine] * 20) == [mine] * history.DEEPEST
    stack = history.native_stack([library, library, mine])
    assert [(code.co_filename, history.native_offset(code)) for code in stack[::2]] == [library, mine]


def test_headers_and_stubs_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of a launch is that of ``<<<>>>``. Without a line of the program they are shown."""
    texts = {
        1: "/usr/local/cuda-13.0/bin/../targets/x86_64-linux/include/crt/device_functions.h:2963 in __cudaLaunchKernel_helper(dim3)",
        2: "/t/tmpxft_000052dd_00000000-6_k.cudafe1.stub.c:13 in __device_stub__Z4fillPii(int*, int)",
        3: "/home/me/k.cu:3 in fill(int*, int)",
        4: "/home/me/k.cu:9 in main",
        5: "/usr/include/c++/12/bits/invoke.h:61 in std::invoke",
        6: "/home/me/k+0x11 in __cudaLaunchKernel_helper(void const*, dim3)",  # without debugging information
        7: "/home/me/k+0x12 in __device_stub__Z4fillPii(int*, int)",
        8: "/home/me/k+0x13 in fill(int*, int)",
    }
    monkeypatch.setattr(history, "native_line", lambda _, offset: texts[offset])
    assert history.places(history.native_stack([("/home/me/k", number) for number in range(1, 6)])) == [texts[4]]
    assert history.places(history.native_stack([("/home/me/k", number) for number in (6, 7, 8, 4)])) == [texts[4]]
    assert history.places(history.native_stack([("/home/me/k", 5), ("/home/me/k", 1)])) == [texts[5]]


def test_where_no_python_calls_the_code_in_c_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the stack of a thread that Python has not begun; cheap stacks have four frames of it."""
    stack = history.native_stack([("/home/me/program", number) for number in range(1, 7)])
    assert history.here(1)[0].co_filename == __file__
    monkeypatch.setattr(history.Caller, "in_c", lambda: stack)
    monkeypatch.setattr(history, "_inside", defaultdict(lambda: True))
    assert history.whole() == stack
    assert history.here() == stack[: history.KEPT]
    assert history.here(1 << 20) == stack[: history.KEPT]
