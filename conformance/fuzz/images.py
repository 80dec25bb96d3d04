"""Images of code with any bytes: ``python -m conformance.fuzz.images [--seed N] [--count N | --seconds S] [KIND]...``.

An image is PTX, a cubin, a fatbin, or several inputs of a linker; it is changed in bits, chunks and fields of its headers, or
made so that reading it could be costly. Each call that takes an image is made with it, and calls that ask for what it holds.
A call answers a code or raises an error of fakecuda's own. A refused call changes nothing, the machine stays whole, and what
is read and made of an image is at most a multiple of its bytes. Images are drawn in processes of their own. Each failure is
printed with its seed and number, and with the fewest bytes that fail so.
"""

from __future__ import annotations

import argparse
import faulthandler
import subprocess
import sys
import time
from collections import Counter
from random import Random
from typing import TYPE_CHECKING

from conformance.fuzz import image_files
from conformance.fuzz.image_calls import World, examine, lowered
from conformance.fuzz.image_changes import changed
from fakecuda.model.effect import watched
from fakecuda.progress import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.fuzz.image_calls import Images

LONGEST = 16 << 10
"""The maximum size of an image in bytes."""
COMPARED = 8
"""One image in this many has its whole state compared; others if suspicious."""
TRIES = 400
"""The maximum number of attempts to shrink a failing image."""
SLICE = 5000
"""The number of images of a process."""
TIMEOUT, WATCHED = 60, 50
"""The time limit in seconds for this many images."""
MARK, COUNT = "image ", "count "
"""Prefixes of a process's output lines: the next image, and the counts."""


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
"""Functions that draw images, by kind."""


def drawn(kind: str, seed: int, number: int) -> Images:
    """Return the image of a kind, seed and number; several for a linker."""
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
        found.append(data)
    return tuple(found)


def shorter(images: Images, what: str) -> Images:
    """Return smaller images with the same failure, within some attempts.

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
    """Load images in this process; return the counts, and a report of each failure."""
    reports = []
    world = World()
    with lowered(), watched(world.note):
        for number in range(first, first + count):
            print(f"{MARK}{number}", flush=True)
            if not number % WATCHED:
                faulthandler.dump_traceback_later(TIMEOUT, exit=True)
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
    """Load images in other processes; print counts and failures, return their number.

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


def main() -> int:
    """Run the command; return 1 if an image fails."""
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
