"""Ask a card what instructions of PTX compute: ``python conformance/record/instructions.py [--new] OUT``.

The instructions of ``conformance/data/instructions.json.gz`` are asked again, those of FAMILIES that it does not have, the kernels
of TEXTS, and the questions of ``textures.py``, ``matrices.py``, ``groups.py``, ``tensors.py``, ``sums.py`` and ``binades.py`` beside this
file. With
``--new``, only what the recording does not have is asked. OUT is written in the same form. Answers that differ from the recording, and what the
driver does not take, are printed. It needs the driver and Python alone, so that it runs on any machine with a card.
"""

from __future__ import annotations

import argparse
import ctypes
import gzip
import json
import multiprocessing
import random
import re
import struct
import sys
from itertools import islice, pairwise, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))
from conformance.record import binades, groups, matrices, sums, tensors, textures  # noqa: E402 - found by the path, as this file is a script
from conformance.record.families import FAMILIES  # noqa: E402
from conformance.record.matrices import expanded  # noqa: E402

RECORDED = ROOT / "conformance" / "data" / "instructions.json.gz"
PROGRAMS = ROOT / "tests" / "kernels" / "programs"
KERNELS, CLUSTERS = PROGRAMS / "asynchronous.ptx", PROGRAMS / "clusters.ptx"
TEXTS = {KERNELS.read_text(encoding="utf-8"): 1, CLUSTERS.read_text(encoding="utf-8"): 2}
"""The texts of kernels, and the blocks that each kernel has."""
WORDS, THREADS = 256, 64
"""The words and the threads of a kernel."""
PATIENCE = 60
"""Seconds after which a kernel is considered stuck."""
EVERY = 1 << 16


class Row(NamedTuple):
    """An instruction, as the file has it.

    Attributes:
        text: The instruction with its modifiers.
        bits: The bits of each operand.
        result: The bits of the result.
        sets: The set that each operand comes from.
        step: The step through all combinations of the operands.
        answer: The results in hexadecimal digits: the first digit of each, then the second of each, and so on, because that
            compresses. Empty if no card has been asked.
    """

    text: str
    bits: list[int]
    result: int
    sets: list[str]
    step: int
    answer: str


Asked: TypeAlias = (
    "Row | str | textures.Question | matrices.Question | tensors.Question | sums.Question | binades.Question"
)
"""A question to a card: a row, a kernel by its name, or a question of the modules beside this file."""


def bits_of(value: float) -> int:
    """Return the bits of a number as ``f32``."""
    return int(struct.unpack("<I", struct.pack("<f", value))[0])


def near(fraction: int, bias: int, top: int) -> list[int]:
    """Return ``f32`` values at, between and beside the numbers of a small format."""
    numbers = [
        (whole / 2**fraction if not exponent else 1 + whole / 2**fraction) * 2.0 ** (max(exponent, 1) - bias)
        for exponent in range(top + 2)
        for whole in range(1 << fraction)
    ]
    found = set()
    for one, other in pairwise(numbers):
        middle = bits_of((one + other) / 2)
        found |= {bits_of(one), middle - 1, middle, middle + 1}
    return sorted(found | {one | 1 << 31 for one in list(found)[::3]})


def operands(known: dict[str, list[str]]) -> dict[str, list[int]]:
    """Return the operand sets: the known ones, and those of FAMILIES."""
    draw = random.Random(44)  # noqa: S311 - no secret
    found = {name: [int(one, 16) for one in values] for name, values in known.items()}
    found["to_e4m3"] = near(3, 7, 15) + found["p32"]
    found["to_e5m2"] = near(2, 15, 31) + found["p32"]
    cut = [0, 0xFFF, 0x1000, 0x1001, 0x1FFF, 0x2000, 0x2FFF, 0x3000, 0x3001]
    more = [base + one for base in (0x3F800000, 0xBF800000, 0x7F7FC000, 0xFF7FC000, 0x7FC00000, 0) for one in cut]
    found["to_tf32"] = found["f32"] + more + [draw.getrandbits(32) for _ in range(300)]
    for name, of in (("half", "f16"), ("brain", "bf16")):
        found[name] = found[of] + [draw.getrandbits(16) for _ in range(40)]
    for name, of in (("halves", "half"), ("brains", "brain"), ("shorts", "i16")):
        values = found[of]
        found[name] = [one | values[(7 * n + 3) % len(values)] << 16 for n, one in enumerate(values)]
    found["every"] = list(range(EVERY))
    found["every_pair"] = [one | (one + 0x5555) % EVERY << 16 for one in range(EVERY)]
    return found


def rows(known: list[list[Any]]) -> list[Row]:
    """Return the known rows, and those of FAMILIES."""
    found = {row[0]: Row(*row) for row in known}
    for text, bits, result, sets, step in FAMILIES:
        for one in expanded(text):
            found.setdefault(one, Row(one, bits, result, sets, step, ""))
    return list(found.values())


def written(row: Row, count: int) -> str:
    """Return the PTX of a kernel that computes a column of results."""
    text, bits, result, *_ = row
    lines = [f"ld.global.b{size} %o{size}_{place}, [%at];" for place, size in enumerate(bits)]
    loads = "\n".join(
        f"mad.lo.u64 %at, %n, 8, %in; add.u64 %at, %at, {8 * count * place}; {line}" for place, line in enumerate(lines)
    )
    given = [f"%o{size}_{place}" for place, size in enumerate(bits)]
    answer = f"%o{result}_r"
    if text.startswith("testp"):
        work = f"{text} %p, {given[0]}; selp.b32 {answer}, 1, 0, %p;"
    elif text.startswith("red"):  # of a vector whose elements both hold the first operand
        before, by = (f"{{{one}, {one}}}" for one in given)
        place = "mad.lo.u64 %at, %n, 8, %out;"
        work = (
            f"{place} st.global.v2.b{bits[0]} [%at], {before}; {text} [%at], {by}; ld.global.b{result} {answer}, [%at];"
        )
    else:
        work = f"{text} {answer}, {', '.join(given)};"
    return f""".version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b) {{
.reg .pred %p; .reg .b32 %x, %y, %z; .reg .b64 %in, %out, %n, %at;
.reg .b16 %o16_0, %o16_1, %o16_2, %o16_3, %o16_r;
.reg .b32 %o32_0, %o32_1, %o32_2, %o32_3, %o32_r;
.reg .b64 %o64_0, %o64_1, %o64_2, %o64_3, %o64_r;
ld.param.u64 %in, [a]; ld.param.u64 %out, [b];
mov.u32 %x, %ctaid.x; mov.u32 %y, %ntid.x; mov.u32 %z, %tid.x; mad.lo.u32 %x, %x, %y, %z; cvt.u64.u32 %n, %x;
setp.ge.u64 %p, %n, {count}; @%p ret;
{loads}
{work}
mad.lo.u64 %at, %n, 8, %out; st.global.b{result} [%at], {answer};
ret;
}}
"""


def given_bytes() -> bytes:
    """Return the initial memory of a kernel: zeros, and bytes to copy."""
    return bytes(2 * WORDS) + bytes((7 * place + 3) % 256 for place in range(2 * WORDS))


class Card:
    """The driver's first device, called through the driver itself."""

    def __init__(self) -> None:
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.ask("cuInit", 0)
        self.device = ctypes.c_int()
        self.ask("cuDeviceGet", ctypes.byref(self.device), 0)
        context = ctypes.c_void_p()
        self.ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), self.device)
        self.ask("cuCtxSetCurrent", context)

    def ask(self, name: str, *args: Any) -> None:
        """Make a call.

        Raises:
            RuntimeError: The driver answers with an error.
        """
        code = getattr(self.driver, name)(*args)
        if code:
            msg = f"{name}: {code}"
            raise RuntimeError(msg)

    def named(self) -> tuple[str, int]:
        """Return the name of the device and the version of the driver."""
        name, version = ctypes.create_string_buffer(100), ctypes.c_int()
        self.ask("cuDeviceGetName", name, 100, self.device)
        self.ask("cuDriverGetVersion", ctypes.byref(version))
        return name.value.decode(), version.value

    def memory(self, size: int) -> ctypes.c_uint64:
        """Allocate memory, and return its address."""
        found = ctypes.c_uint64()
        self.ask("cuMemAlloc_v2", ctypes.byref(found), ctypes.c_size_t(size))
        return found

    def answers(self, row: Row, sets: dict[str, list[int]]) -> str:
        """Return the results of a row in hexadecimal digits."""
        given = list(islice(product(*[sets[name] for name in row.sets]), 0, None, row.step))
        found = self.column(row, list(zip(*given, strict=True)), len(given))
        digits = zip(*[f"{one:0{row.result // 4}x}" for one in found], strict=True)
        return "".join(["".join(plane) for plane in digits])

    def column(self, row: Row, given: Sequence[Sequence[int]], count: int) -> list[int]:
        """Return the results of a row for columns of operands."""
        columns = (ctypes.c_uint64 * (count * len(row.bits)))(*[one for column in given for one in column])
        found = (ctypes.c_uint64 * count)()
        size = ctypes.sizeof(columns)
        inputs, outputs = self.memory(size), self.memory(8 * count)
        self.ask("cuMemcpyHtoD_v2", inputs, columns, ctypes.c_size_t(size))
        self.ask("cuMemsetD8_v2", outputs, 0, ctypes.c_size_t(8 * count))
        self.launch(written(row, count), "k", -(-count // THREADS), inputs, outputs)
        self.ask("cuMemcpyDtoH_v2", found, outputs, ctypes.c_size_t(8 * count))
        for one in (inputs, outputs):
            self.ask("cuMemFree_v2", one)
        return list(found)

    def launch(self, text: str, name: str, blocks: int, *given: ctypes.c_uint64, threads: int = THREADS) -> None:
        """Run a kernel."""
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.ask("cuModuleLoadData", ctypes.byref(module), text.encode())
        self.ask("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        places = (ctypes.c_void_p * len(given))(*map(ctypes.addressof, given))
        self.ask("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, places, None)
        self.ask("cuCtxSynchronize")
        self.ask("cuModuleUnload", module)

    def words(self, name: str) -> str:
        """Return the lower words that a kernel has written."""
        found, memory = (ctypes.c_uint32 * WORDS)(), self.memory(4 * WORDS)
        self.ask("cuMemcpyHtoD_v2", memory, given_bytes(), ctypes.c_size_t(4 * WORDS))
        self.launch(*next((one, name, blocks) for one, blocks in TEXTS.items() if f".entry {name}(" in one), memory)
        self.ask("cuMemcpyDtoH_v2", found, memory, ctypes.c_size_t(4 * WORDS))
        return "".join([f"{one:08x}" for one in found[: WORDS // 2]])


def answer_of(card: Card, one: Asked, sets: dict[str, list[int]]) -> str:
    """Return what a card answers."""
    if isinstance(one, Row):
        return card.answers(one, sets)
    return card.words(one) if isinstance(one, str) else str(ANSWERS[type(one)](card, one))


def served(pipe: Any, asked: list[Asked], sets: dict[str, list[int]]) -> None:
    """Send the card's name, and the number and answer of each question."""
    card = Card()
    pipe.send((-1, card.named()))
    for number, one in enumerate(asked):
        try:
            pipe.send((number, answer_of(card, one, sets)))
        except RuntimeError as error:
            pipe.send((number, error))
            if "cuModuleLoadData" not in str(error):
                return  # the context is lost


def answered(asked: list[Asked], sets: dict[str, list[int]]) -> Iterator[tuple[int, Any]]:
    """Yield the card's name, and each question's number and answer."""
    first, spawn = 0, multiprocessing.get_context("spawn")
    while first < len(asked):
        ours, theirs = spawn.Pipe(duplex=False)
        process = spawn.Process(target=served, args=(theirs, asked[first:], sets))
        process.start()
        theirs.close()
        number = None
        try:
            while True:
                if not ours.poll(PATIENCE):
                    process.kill()
                number, answer = ours.recv()
                yield (number if number < 0 else first + number), answer
        except EOFError:
            process.join()
        if number is None:
            msg = "no card answers"
            raise RuntimeError(msg)
        first += number + 1
        if process.exitcode and first < len(asked):
            yield first, RuntimeError(f"exit code {process.exitcode}")
            first += 1


BESIDE = textures, matrices, tensors, sums, binades
ANSWERS: dict[type, Any] = {one.Question: one.answer for one in BESIDE}
PARTS: dict[type, str] = {str: "kernels"} | {one.Question: one.__name__.rpartition(".")[2] for one in BESIDE}
"""Where the file has answers that are not those of rows."""


def name_of(one: Asked) -> str:
    """Return the name of a question."""
    return one if isinstance(one, str) else one.text if isinstance(one, Row) else one.name


def before_of(one: Asked, told: dict[str, dict[str, str]]) -> str:
    """Return the recorded answer to a question. Empty without one."""
    return one.answer if isinstance(one, Row) else told[PARTS[type(one)]].get(name_of(one), "")


def main(arguments: Sequence[str] | None = None) -> None:
    """Ask, and write the answers.

    Args:
        arguments: Those of the command line.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", metavar="OUT", type=Path, help="the file to write, which is compressed by gzip")
    parser.add_argument("--new", action="store_true", help="ask only what the recording does not have")
    given = parser.parse_args(arguments)
    known = json.loads(gzip.decompress(RECORDED.read_bytes()))
    sets, names = operands(known["operands"]), re.findall(r"\.entry (\w+)", "".join(TEXTS))
    found = {row.text: row for row in rows(known["instructions"])}
    asked: list[Asked] = [*found.values(), *names, *textures.questions(), *groups.questions()]
    asked += [
        *matrices.questions(),
        *tensors.questions(),
        *sums.questions(found.values(), sets),
        *binades.questions(found),
    ]
    told: dict[str, dict[str, str]] = {part: dict(known.get(part, {})) for part in PARTS.values()}
    if given.new:
        asked = [
            one for one in asked if not (one.answer if isinstance(one, Row) else name_of(one) in told[PARTS[type(one)]])
        ]
    card: tuple[str, int] = ("", 0)
    for number, answer in answered(asked, sets):
        if number < 0:
            card = answer
            continue
        one = asked[number]
        if isinstance(answer, Exception) or (before_of(one, told) or answer) != answer:
            print(f"{name_of(one)}: {answer if isinstance(answer, Exception) else 'not what is recorded'}")  # noqa: T201 - a command
        if not isinstance(one, Row):
            told[PARTS[type(one)]][name_of(one)] = str(answer)
        elif not isinstance(answer, Exception):
            found[one.text] = one._replace(answer=answer)
    told["textures"] = {one.name: told["textures"][one.name] for one in textures.questions()}
    rest = [row for row in found.values() if row.answer]
    used = {name for row in rest for name in row.sets} - {"every", "every_pair"}
    made = {
        "card": card[0],
        "driver": card[1],
        "operands": {name: [f"{one:x}" for one in sets[name]] for name in sorted(used)},
        "instructions": rest,
        **told,
    }
    data = json.dumps(made, separators=(",", ":")).encode()
    given.out.write_bytes(gzip.compress(data, 9, mtime=0))
    print(f"{card}: {len(asked)} questions; {len(rest)} of {len(found)} instructions")  # noqa: T201 - a command


if __name__ == "__main__":
    main()
