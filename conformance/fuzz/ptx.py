"""PTX with mistakes: ``python -m conformance.fuzz.ptx [--ptxas PATH] [--seed N] [--count N] [--kernels FOLDER]``.

Kernels that compilers wrote are changed in one place: a token is left out, doubled or exchanged, or a modifier, a type, a
register, a label, the version or the target is another. The model reads each, and ``ptxas`` compiles it. Those that one of
them accepts and the other refuses are printed by classes: what was changed, and what the refusing one says. Without ``--ptxas``
the model's answers are compared with recorded ones.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from attrs import define, field

from conformance.fuzz.ptx_changes import changed
from fakecuda.model.code import ptx
from fakecuda.model.code.code import Refused
from fakecuda.progress import say

if TYPE_CHECKING:
    from collections.abc import Callable

    Answer = tuple[bool, str]
    """Whether a text is accepted, and the reason if not."""

DATA = Path(__file__).parent.parent / "data" / "ptx.json.gz"
"""Kernels, and ptxas's answers to their changes."""
ARCH, NEWEST = 90, (9, 0)
TIMEOUT = 4
"""Seconds after which ptxas has no answer."""
LONGEST = 8000
"""The maximum size of a kernel in bytes."""
UNKNOWN = "?"
"""The recorded answer if ptxas had none."""
SHOWN = 100


@define
class Agreement:
    """The agreement of two readers of PTX on the same texts.

    Attributes:
        count: How many texts they read.
        both: How many both refuse.
        only: The texts that one of them refuses, by its name and by the class of the difference.
    """

    count: int = 0
    both: int = 0
    only: dict[tuple[str, str], list[int]] = field(factory=dict)

    def note(self, number: int, change: str, ours: Answer, theirs: Answer) -> None:
        """Note the answers of the model and of ptxas to a text."""
        self.count += 1
        self.both += not ours[0] and not theirs[0]
        if ours[0] != theirs[0]:
            who, why = ("ptxas", theirs[1]) if ours[0] else ("the model", ours[1])
            self.only.setdefault((who, f"{change}: {why}"), []).append(number)

    def refused_by(self, who: str) -> int:
        """Return the number of texts that only one of them refuses."""
        return sum(len(numbers) for (name, _), numbers in self.only.items() if name == who)


def kernels() -> list[str]:
    """Return the recorded kernels."""
    found: list[str] = json.loads(gzip.decompress(DATA.read_bytes()))["kernels"]
    return found


def recorded() -> str:
    """Return ptxas's answers to the changes of seed 0: ``1`` for accepted, else ``0``."""
    found: str = json.loads(gzip.decompress(DATA.read_bytes()))["answers"]
    return found


def drawn(texts: list[str], seed: int, number: int) -> tuple[str, str]:
    """Return the changed kernel of a seed and number, and the change's name."""
    random = Random(f"{seed} {number}")  # noqa: S311 - it draws texts
    return changed(random, random.choice(texts))


def model(text: str) -> Answer:
    """Return the model's answer to a text."""
    try:
        ptx.parsed(text.encode("latin-1"), ARCH, NEWEST)
    except Refused as refused:
        return False, refused.reason or refused.why
    return True, ""


def compiler(path: str) -> Callable[[str], Answer | None]:
    """Return a function that asks ptxas about a text.

    Args:
        path: The program.
    """
    folder = Path(tempfile.mkdtemp(prefix="fakecuda-ptx-"))
    source, made = folder / "k.ptx", folder / "k.cubin"

    def ask(text: str) -> Answer | None:
        source.write_bytes(text.encode("latin-1"))
        arch = f"sm_{ARCH}{'a' * (f'sm_{ARCH}a' in text)}"
        command = [path, f"-arch={arch}", "-O0", "-w", str(source), "-o", str(made)]
        try:
            ended = subprocess.run(  # noqa: S603 - it is ptxas
                command, capture_output=True, text=True, errors="replace", check=False, timeout=TIMEOUT
            )
        except subprocess.TimeoutExpired:
            return None
        return not ended.returncode, (ended.stderr + ended.stdout).partition("\n")[0].rpartition(" : ")[2]

    return ask


def compared(texts: list[str], seed: int, numbers: range, theirs: Callable[[str, int], Answer | None]) -> Agreement:
    """Return the agreement of the model with another reader.

    Args:
        texts: The kernels.
        seed: What their changes are drawn from.
        numbers: The numbers of the changes.
        theirs: Tells what the other reader says of a text with a number.
    """
    found = Agreement()
    for number in numbers:
        text, change = drawn(texts, seed, number)
        answer = theirs(text, number)
        if answer is not None:
            found.note(number, change, model(text), answer)
    return found


def report(found: Agreement) -> str:
    """Return the findings, the most frequent class first."""
    agreed = found.count - sum(map(len, found.only.values()))
    one, other = found.refused_by("the model"), found.refused_by("ptxas")
    lines = [f"{found.count} texts, {agreed} of the same answer, {found.both} refused by both"]
    lines += [f"{one} refused by the model alone, {other} by ptxas alone"]
    classes = sorted(found.only.items(), key=lambda one: (one[0][0], -len(one[1])))
    lines += [
        f"  {len(numbers)} refused by {who} alone: {why[:SHOWN]} (number {', '.join(map(str, numbers[:3]))})"
        for (who, why), numbers in classes
    ]
    return "\n".join(lines)


def record(texts: list[str], answers: str) -> None:
    """Write kernels, and the answers to their changes, to the data."""
    data = json.dumps({"kernels": texts, "answers": answers}).encode()
    DATA.write_bytes(gzip.compress(data, mtime=0))


def main() -> int:
    """Run the command; return 1 if only the model refuses a text."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.ptx", description=__doc__.partition("\n")[0])
    parser.add_argument("--ptxas", help="the ptxas that is asked; recorded answers without it")
    parser.add_argument("--kernels", type=Path, help="a folder with other kernels, in files *.ptx")
    parser.add_argument("--seed", type=int, default=0, help="what changes are drawn from; 0 by default")
    parser.add_argument("--first", type=int, default=0, help="the number of the first change; 0 by default")
    parser.add_argument("--count", type=int, default=2000, help="how many changes; 2000 by default")
    parser.add_argument("--show", type=int, help="print the text of a number, and what both say of it")
    parser.add_argument("--record", action="store_true", help="write ptxas's answers to the data")
    options = parser.parse_args()
    if options.ptxas is None and options.record:
        parser.error("--record writes the answers of a ptxas: name it with --ptxas")
    if options.ptxas is None and options.show is None and (options.seed or options.kernels is not None):
        parser.error(
            "answers are recorded for seed 0 and the recorded kernels alone: leave out --seed and --kernels, or use --ptxas"
        )
    if options.record and (options.seed or options.first):
        parser.error("answers are recorded for seed 0 from the first change on: leave out --seed and --first")
    texts = kernels() if options.kernels is None else read(options.kernels)
    ask = compiler(options.ptxas) if options.ptxas else None
    if options.show is not None:
        text, change = drawn(texts, options.seed, options.show)
        say(f"{text}\n{change}: {model(text)} {ask(text) if ask else ''}")
        return 0
    answers = recorded() if ask is None else ""
    end = options.first + options.count
    numbers = range(options.first, end if ask else min(end, len(answers)))
    said: dict[int, str] = {}

    def theirs(text: str, number: int) -> Answer | None:
        if ask is None:
            return None if answers[number] == UNKNOWN else (answers[number] == "1", "as recorded")
        found = ask(text)
        said[number] = UNKNOWN if found is None else str(int(found[0]))
        return found

    found = compared(texts, options.seed, numbers, theirs)
    if options.record:
        record(texts, "".join(said[number] for number in numbers))
    say(report(found))
    return bool(found.refused_by("the model"))


def read(folder: Path) -> list[str]:
    """Return the kernels of a folder, sorted by name."""
    found = [path.read_text("latin-1") for path in sorted(folder.glob("*.ptx"))]
    return [one for one in found if len(one) <= LONGEST]


if __name__ == "__main__":
    sys.exit(main())
