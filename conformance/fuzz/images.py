"""Images of code with any bytes: ``python -m conformance.fuzz.images [--seed N] [--count N | --seconds S] [KIND]...``.

An image is PTX, a cubin, a fatbin, or several inputs of a linker; it is changed in bits, chunks and fields of its headers, or
made so that reading it could be costly. Each call that takes an image is made with it, and calls that ask for what it holds.
A call answers a code or raises an error of fakecuda's own. A refused call changes nothing, the machine stays whole, and what
is read and made of an image is at most a multiple of its bytes. Images are drawn in processes of their own. Each failure is
printed with its seed and number, and with the fewest bytes that fail so.
"""

from __future__ import annotations

import argparse
import ctypes
import faulthandler
import subprocess
import sys
import time
import traceback
from collections import Counter
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fuzz import image_files
from conformance.fuzz.by_attached import NOT_MEANT
from conformance.fuzz.image_changes import changed
from conformance.fuzz.whole import harm, is_held
from fakecuda import Machine
from fakecuda.codes import Result
from fakecuda.errors import FakeCudaError
from fakecuda.model import cubin_writer, image, packed
from fakecuda.model.cost import Cost, spent
from fakecuda.model.effect import watched
from fakecuda.progress import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.effect import Act

    Images = tuple[bytes, ...]

READ, MADE, TOKENS = 10, 48, 2
"""How many bytes are read and made for each byte of an image, and how many tokens, at most. A kernel of a linked cubin takes
three rows of tables and three names."""
BESIDES = 1 << 18
"""How many besides. What is unpacked counts here: the loop has that be at most ``UNPACKED`` bytes."""
UNPACKED = 1 << 12
"""Bytes that compressed images and variables in linked code may have in the loop."""
LONGEST = 16 << 10
"""Bytes of an image, at most."""
REUSED = 32
"""How many images a machine is given."""
COMPARED = 8
"""Of how many images one is judged by the whole state of the machine. Others are if a refused call had an effect."""
FEW = 2
"""How many functions and variables of an image are asked for."""
INT = 1 << 31
KNOWN = frozenset(map(int, Result))
ATTRIBUTES = range(10)
TRIES = 400
"""How many shorter images are tried of one that fails."""
SLICE = 5000
"""Images of a process."""
PATIENCE, WATCHED = 60, 50
"""Seconds after which one of so many images hangs."""
MARK = "image "


def _inputs(random: Random, longest: int) -> bytes:
    return random.choice((image_files.text, image_files.cubin, image_files.container))(random, longest)


def _packed(random: Random, longest: int) -> bytes:
    found = random.choice((image_files.text, image_files.cubin))(random, longest)
    return changed(random, found, b"", longest)[0]


KINDS: dict[str, Callable[[Random, int], bytes]] = {
    "ptx": image_files.text,
    "cubin": image_files.cubin,
    "fatbin": image_files.container,
    "compressed": _packed,
    "inputs": _inputs,
}
"""What is drawn, by the kinds that the command knows."""


def drawn(kind: str, seed: int, number: int) -> Images:
    """Return the image of a kind that a seed has under a number; of a linker's inputs some."""
    random = Random(f"{kind} {seed} {number}")  # noqa: S311 - it draws images
    found = []
    for _ in range(random.choice((1, 2, 3)) if kind == "inputs" else 1):
        data = KINDS[kind](random, LONGEST)
        if kind == "compressed":
            data = image_files.fatbin(image_files.compressed(data, random))
            if random.random() < 0.3:
                data = changed(random, data, b"", LONGEST)[0]
        else:
            data = changed(random, data, _inputs(random, LONGEST), LONGEST)[0]
        data = data.replace(b"=", b" ") if b".version" in data else data  # until initialisers are read in linear time
        found.append(data)
    return tuple(found)


@define
class World:
    """A machine that is given images, one after the other.

    Attributes:
        whole: Whether the machine's state is compared around each call that is refused. It takes most of the time.
        counts: What was seen, by names.
        wrong: What does not hold of the last image, a line each.
        suspicious: Whether a call with the last image was refused and had an effect.
    """

    machine: Machine = field(init=False)
    c: Any = field(init=False)
    whole: bool = False
    counts: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)
    suspicious: bool = False
    _given: int = REUSED
    _before: list[Any] | None = None
    _effects: int = 0

    def examine(self, images: Images) -> list[str]:
        """Make the calls that take an image, or several inputs of a linker; return what does not hold, a line each."""
        self.wrong, self.suspicious = [], False
        if self._given >= REUSED:
            self.renew()
        self._given += 1
        for one in images:
            self._module(one)
            self._library(one)
        types = image.CUBIN, image.TEXT, image.FATBINARY
        for type_ in types if len(images) > 1 else types[len(images[0]) % 3 :][:1]:
            self._linked(type_, images)
        self.wrong += harm(self.machine)
        if self.wrong:
            self._given = REUSED
        return self.wrong

    def renew(self) -> None:
        """Go on with a new machine."""
        self.close()
        self.machine = Machine("h200", strict=False, seed=int(self.whole))
        self.c = self.machine.spawn("a").c
        self.c.cuInit(0)
        self.c.cuCtxCreate(None, 0, 0)
        self._given, self._before = 0, None

    def close(self) -> None:
        """End the machine, if there is one."""
        made = getattr(self, "machine", None)
        if made is not None and not is_held(made):
            made.close()

    def note(self, _: Act) -> None:
        """Note that an effect is about to act."""
        self._effects += 1

    def _ask(self, name: str, *args: Any, size: int, judged: bool = False) -> Any:  # noqa: ANN401 - what a call takes and gives
        """Make a call; return its result, or None if it was refused.

        Args:
            name: The call.
            args: Its arguments.
            size: Bytes of all the images that it may look at.
            judged: Whether the call changes nothing if it is refused.
        """
        if judged and self.whole and self._before is None:
            self._before = self.machine.snapshot()
        spent.bytes_read = spent.tokens = spent.bytes_produced = self._effects = 0
        try:
            code, *results = getattr(self.c, name)(*args)
        except BaseException as error:  # noqa: BLE001 - whatever comes is judged
            code, results = type(error).__name__, []
            if not isinstance(error, FakeCudaError) or isinstance(error, NOT_MEANT):
                self.wrong.append(f"{name} raises {code}\n" + "".join(traceback.format_exception(error)))
        self.counts["calls"] += 1
        self.counts[f"answers {Result(code).name if code in KNOWN else code}"] += 1
        if isinstance(code, int) and code not in KNOWN:
            self.wrong.append(f"{name} answers what is no code\n{code}")
        self._judge_cost(name, size)
        if not code:
            self._before = None
            return results[0] if len(results) == 1 else results
        self.suspicious = self.suspicious or (judged and self._effects > 0)
        if judged and self.whole and self.machine.snapshot() != self._before:
            self.wrong.append(f"{name} is refused and has changed something\n{code}")
            self._before = None
        return None

    def _judge_cost(self, name: str, size: int) -> None:
        limits = Cost(READ * size + BESIDES, TOKENS * size + BESIDES, MADE * size + BESIDES)
        for what in ("bytes_read", "tokens", "bytes_produced"):
            count, limit = getattr(spent, what), getattr(limits, what)
            if count > limit:
                self.wrong.append(
                    f"{name} costs too much of {what}\n{count} with {size} bytes of images: at most {limit}"
                )

    def _module(self, data: bytes) -> None:
        size = len(data)
        calls: tuple[tuple[str, tuple[Any, ...]], ...] = (
            ("cuModuleLoadData", ()),
            ("cuModuleLoadDataEx", (0, None, None)),
            ("cuModuleLoadFatBinary", ()),
        )
        answered = None
        for name, more in calls:
            module = self._ask(name, data, *more, size=size, judged=not answered)
            answered = answered or module
            if module is None:
                continue
            if name == "cuModuleLoadData":
                self._look_into(module, size)
            self._ask("cuModuleUnload", module, size=size)

    def _look_into(self, module: int, size: int) -> None:
        """Ask for the functions and variables of a module."""
        held: Any = self.machine.processes["a"].loaded[module]
        count = self._ask("cuModuleGetFunctionCount", module, size=size)
        functions = self._ask("cuModuleEnumerateFunctions", count, module, size=size)
        for function in (functions or ())[:FEW]:
            self._ask("cuFuncGetName", function, size=size)
            for attribute in ATTRIBUTES:
                value = self._ask("cuFuncGetAttribute", attribute, function, size=size)
                if value is not None and not -INT <= value < INT:
                    self.wrong.append(f"cuFuncGetAttribute gives what is no int\n{attribute}: {value}")
        for name in [*held.image.entries][:FEW]:
            self._ask("cuModuleGetFunction", module, name.encode(), size=size)
        for name in [*held.image.variables][:FEW]:
            self._ask("cuModuleGetGlobal", module, name.encode(), size=size)

    def _library(self, data: bytes) -> None:
        size = len(data)
        library = self._ask("cuLibraryLoadData", data, None, None, 0, None, None, 0, size=size, judged=True)
        if library is None:
            return
        for name, args in (
            ("cuLibraryGetKernelCount", ()),
            ("cuLibraryGetKernel", (b"empty",)),
            ("cuLibraryGetManaged", (b"v",)),
            ("cuLibraryGetModule", ()),
            ("cuLibraryGetGlobal", (b"counter",)),
        ):
            found = self._ask(name, library, *args, size=size, judged=True)
            if name == "cuLibraryGetKernelCount" and found:
                self._ask("cuLibraryEnumerateKernels", found, library, size=size)
        self._ask("cuLibraryUnload", library, size=size)

    def _linked(self, type_: int, images: Images) -> None:
        """Link inputs as some type, and load what comes of them; a refused input leaves a trace in its linker."""
        self._before = None
        size = sum(map(len, images))
        state = self._ask("cuLinkCreate", 0, None, None, size=size)
        for one in images:
            self._ask("cuLinkAddData", state, type_, one, len(one), b"in", 0, None, None, size=size)
        found = self._ask("cuLinkComplete", state, size=size)
        if found:
            self._module(ctypes.string_at(*found))
        self._ask("cuLinkDestroy", state, size=size)


@contextmanager
def lowered() -> Iterator[None]:
    """Lower the bounds of what is unpacked and linked, so that what comes near them takes no time."""
    kept = packed.LARGEST, cubin_writer.LARGEST
    packed.LARGEST = cubin_writer.LARGEST = UNPACKED
    _forget()
    try:
        yield
    finally:
        packed.LARGEST, cubin_writer.LARGEST = kept
        _forget()


def _forget() -> None:
    """Have images be read anew."""
    image.parsed.cache_clear()
    image.relocatable.cache_clear()


def examine(images: Images) -> list[str]:
    """Return what does not hold of a new machine that is given an image, or several inputs of a linker, a line each."""
    with lowered():
        world = World(whole=True)
        world.examine(images)  # a machine that has had them knows more
        found = world.wrong or world.examine(images)
        world.close()
    return found


def shorter(images: Images, what: str) -> Images:
    """Return images of fewer bytes that fail so, as far as that is found soon.

    Args:
        images: The images.
        what: The first line of what is wrong.
    """
    tries = 0
    for place in range(len(images)):
        width = len(images[place]) // 2
        while width and tries < TRIES:
            at = 0
            while at < len(images[place]) and tries < TRIES:
                less = images[place][:at] + images[place][at + width :]
                fewer = (*images[:place], less, *images[place + 1 :])
                tries += 1
                if any(line.startswith(what) for line in examine(fewer)):
                    images = fewer
                else:
                    at += width
            width //= 2
    return images


def inside(kind: str, seed: int, first: int, count: int) -> tuple[Counter[str], list[str]]:
    """Examine images in this process; return what was seen, and a report of each that fails."""
    reports = []
    world = World()
    with lowered(), watched(world.note):
        for number in range(first, first + count):
            print(f"{MARK}{number}", flush=True)
            if not number % WATCHED:
                faulthandler.dump_traceback_later(PATIENCE, exit=True)
            images = drawn(kind, seed, number)
            wrong = world.examine(images)
            if not wrong and (world.suspicious or not number % COMPARED):
                wrong = examine(images)
            world.counts["images"] += 1
            if wrong:
                reports.append(_report(kind, seed, number, images, wrong))
        faulthandler.cancel_dump_traceback_later()
        world.close()
    return world.counts, reports


def _report(kind: str, seed: int, number: int, images: Images, wrong: list[str]) -> str:
    what = wrong[0].splitlines()[0]
    less = shorter(images, what)
    shown = "".join(f"    bytes.fromhex({one.hex()!r}),\n" for one in less)
    return (
        f"seed {seed}, number {number} of {kind}: " + "\n".join(wrong).rstrip() + "\n\n"
        f"python -m conformance.fuzz.images --seed {seed} --first {number} --count 1 {kind}\n\n"
        f"from conformance.fuzz.images import examine\n\nprint(*examine((\n{shown})), sep='\\n')\n"
    )


def outside(kind: str, seed: int, first: int, is_over: Callable[[int], bool], count: int = SLICE) -> int:
    """Examine images in processes of their own; print what was seen and each that fails, and return how many failed.

    Args:
        kind: The kind of images.
        seed: Their seed.
        first: The number of the first.
        is_over: Tells, by the next number, whether there are enough.
        count: How many a process examines.
    """
    number, failed, seen = first, 0, Counter[str]()
    while not is_over(number):
        command = [sys.executable, "-X", "faulthandler", "-m", "conformance.fuzz.images", "--inside", kind]
        command += ["--seed", str(seed), "--first", str(number), "--count", str(count)]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - it is this module
        told = ended.stdout.splitlines()
        last = max((int(line.removeprefix(MARK)) for line in told if line.startswith(MARK)), default=number)
        failed += sum(line.startswith("seed ") for line in told)
        say("".join(f"{line}\n" for line in told if not line.startswith((MARK, COUNT))).rstrip())
        for line in told:
            if line.startswith(COUNT):
                amount, what = line.removeprefix(COUNT).split(" ", 1)
                seen[what] += int(amount)
        if ended.returncode not in {0, 1} or last < number + count - 1:
            failed += 1
            say(f"seed {seed}, number {last} of {kind}: ended by {ended.returncode}\n{ended.stderr}")
        number = last + 1
    say(f"{kind}: {number - first} images of seed {seed} from number {first} on, {failed} failed")
    say("".join(f"  {amount} {what}\n" for what, amount in seen.most_common() if what != "images").rstrip())
    return failed


COUNT = "count "


def main() -> int:
    """Run the command; return its status: 1 if an image fails."""
    parser = argparse.ArgumentParser(prog="python -m conformance.fuzz.images", description=__doc__.partition("\n")[0])
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)}; all by default")
    parser.add_argument("--seed", type=int, default=0, help="what images are drawn from; 0 by default")
    parser.add_argument("--first", type=int, default=0, help="the number of the first image of each kind; 0 by default")
    parser.add_argument("--count", type=int, default=0, help="how many images of each kind")
    parser.add_argument(
        "--seconds", type=float, default=60, help="how long images of each kind are drawn; 60 by default"
    )
    parser.add_argument("--inside", action="store_true", help="in this process, which a hang ends")
    options = parser.parse_args()
    unknown = [kind for kind in options.kinds if kind not in KINDS]
    if unknown:
        parser.error(f"{unknown[0]} is not a kind of images; write some of {', '.join(KINDS)}")
    failed = 0
    for kind in options.kinds or KINDS:
        if options.inside:
            counts, reports = inside(kind, options.seed, options.first, options.count)
            print("\n".join([*reports, *(f"{COUNT}{amount} {what}" for what, amount in counts.items())]))
            failed += len(reports)
            continue
        end, last = time.monotonic() + options.seconds, options.first + options.count
        is_over = last.__le__ if options.count else lambda _, end=end: time.monotonic() >= end
        failed += outside(kind, options.seed, options.first, is_over, min(options.count or SLICE, SLICE))
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
