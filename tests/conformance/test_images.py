"""Images of code with any bytes: a few of each kind, and that mistakes planted in their readers are found."""

from __future__ import annotations

import struct
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from conformance.fuzz import images
from fakecuda.model.code import cubin, module_effects, packed
from fakecuda.model.code.cost import spent
from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.fuzz.image_calls import Images

SEED, FEW, ENOUGH = 1, 60, 400


@pytest.mark.parametrize("kind", images.KINDS)
def test_images_of_any_bytes_leave_the_machine_whole(kind: str) -> None:
    """Each call answers a code or raises an error of fakecuda's own, at a cost that its bytes bound."""
    counts, reports = images.inside(kind, SEED, 0, FEW)
    assert not reports, reports[0]
    assert counts["images"] == FEW
    assert counts["answers SUCCESS"] > FEW


def test_the_command_says_what_it_did() -> None:
    """How many images of each kind, what was answered, and which kinds there are."""
    command = [sys.executable, "-m", "conformance.fuzz.images", "--seed", "1", "--count", "3"]
    run = subprocess.run([*command, "ptx", "cubin"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    for kind in ("ptx", "cubin"):
        assert f"{kind}: 3 images of seed 1 from number 0 on, 0 failed\n" in run.stdout
    assert " calls\n" in run.stdout
    run = subprocess.run([*command, "pdf"], capture_output=True, text=True, check=False)
    assert "pdf is not a kind of images; write some of ptx, cubin" in run.stderr


def without_a_bound(patch: pytest.MonkeyPatch) -> None:
    """Read of a cubin as much as it says."""
    patch.setattr(cubin, "TIMES", 1 << 40)


def raises_what_it_finds(patch: pytest.MonkeyPatch) -> None:
    """Look for the table of sections where a cubin says that it is."""

    def table(data: bytes) -> tuple[list[tuple[int, ...]], int]:
        (start,), (count, names) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<HH", data, 0x3C)
        return [cubin.SECTION.unpack_from(data, start + row * cubin.SECTION.size) for row in range(count)], names

    patch.setattr(cubin, "_table", table)


def acts_before_it_checks(patch: pytest.MonkeyPatch) -> None:
    """Place variables, and leave them where others have no room."""
    patch.setattr(module_effects, "_take_back", lambda *_: None)


def is_quadratic(patch: pytest.MonkeyPatch) -> None:
    """Read a name again for each symbol that has it."""

    def at(self: cubin.Texts, place: int) -> str:
        end = self.file.data.index(b"\0", self.start + place, self.end)
        spent.bytes_read += end - self.start - place
        return self.file.data[self.start + place : end].decode(errors="replace")

    patch.setattr(cubin.Texts, "at", at)


def unpacks_all(patch: pytest.MonkeyPatch) -> None:
    """Unpack a compressed image however large it is."""
    real = packed.unpacked

    def unpacked(data: bytes, flags: int, size: int) -> bytes:
        kept, packed.LARGEST = packed.LARGEST, 1 << 40
        try:
            return real(data, flags, size)
        finally:
            packed.LARGEST = kept

    patch.setattr(packed, "unpacked", unpacked)


def runs_out_of_memory(patch: pytest.MonkeyPatch) -> None:
    """Take memory in the midst of an effect."""

    def write(*_: object) -> None:
        raise MemoryError

    patch.setattr(transfer, "write", write)


Planted = list[tuple["Callable[[pytest.MonkeyPatch], None]", str, str, int]]
PLANTED: Planted = [
    (without_a_bound, "cubin", "costs too much of bytes_", 309),
    (raises_what_it_finds, "cubin", "raises OverflowError", 362),
    (acts_before_it_checks, "cubin", "is refused and has changed something", 106),
    (is_quadratic, "cubin", "costs too much of bytes_read", 121),
    (unpacks_all, "fatbin", "costs too much of bytes_produced", 121),
    (runs_out_of_memory, "ptx", "a call was cut in two", 1),
]
"""Planted bugs: kind of images, report, and number of the first trial."""


@pytest.mark.usefixtures("broken_machines")
@pytest.mark.parametrize(("plant", "kind", "told", "soon"), PLANTED)
def test_a_planted_mistake_is_found(
    plant: Callable[[pytest.MonkeyPatch], None], kind: str, told: str, soon: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the seed and number that find it again, and as code that does."""
    monkeypatch.setattr(images, "TRIES", 20)
    plant(monkeypatch)
    numbers = sorted(range(ENOUGH), key=lambda number: number != soon)
    report = next(found for number in numbers for found in images.inside(kind, SEED, number, 1)[1] if told in found)
    code = report[report.index("from conformance") :]
    shown: list[Any] = []
    exec(code, {"print": lambda *lines, **_: shown.extend(lines)})  # noqa: S102 - it is what the report says
    assert any(told in line for line in shown)


def test_an_image_that_fails_is_made_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    """To bytes without any of which it fails no longer."""

    def found(given: Images) -> list[str]:
        return ["it fails\nso"] if b"ab" in given[1] else []

    monkeypatch.setattr(images, "examine", found)
    assert images.shorter((b"first", b"0123ab456789"), "it fails") == (b"", b"ab")


def test_an_image_that_ends_the_process_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With its number, and the images behind it are examined."""

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        first = int(command[command.index("--first") + 1])
        lines = "".join(f"{images.MARK}{number}\n" for number in range(first, first + 5 if first else 3))
        return subprocess.CompletedProcess(command, 0 if first else -11, f"{lines}{images.COUNT}2 calls\n", "a fault")

    monkeypatch.setattr(subprocess, "run", run)
    assert images.outside("ptx", 7, 0, (5).__le__, 5) == 1  # the second process examines five, too
    told = capsys.readouterr().out
    assert "seed 7, number 2 of ptx: ended by -11\na fault\n" in told
    assert "ptx: 8 images of seed 7 from number 0 on, 1 failed\n  4 calls\n" in told
