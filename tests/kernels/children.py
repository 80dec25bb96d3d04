"""Drawn kernels in child processes, because native code may end its process: what the commands of the modules ``drawn*`` run."""

from __future__ import annotations

import mmap
import os
import sys
import traceback
from collections import deque
from typing import TYPE_CHECKING, NoReturn

from fakecuda.kernels.compiled import engine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

EACH_CHILD = 100
"""How many drawn kernels a child judges."""


def wrong(seeds: Iterable[int], judge: Callable[[int], str | None]) -> Iterator[str]:
    """Yield what is wrong with drawn kernels. Child processes judge them, because native code may end its process.

    Args:
        seeds: The kernels.
        judge: Returns what is wrong with a kernel. Empty or None for nothing.
    """
    engine.library()
    left = deque(seeds)
    while left:
        place = mmap.mmap(-1, mmap.PAGESIZE)
        child = os.fork()
        if not child:
            _judge(list(left)[:EACH_CHILD], judge, place)
        _, status = os.waitpid(child, 0)
        done, text = place[0], place[1:].rstrip(b"\0").decode()
        for _ in range(done):
            seed = left.popleft()
        if text or status:
            if not text:
                seed = left.popleft()
            yield f"seed {seed}: {text or f'its process ended with status {status}'}"


def _judge(seeds: list[int], judge: Callable[[int], str | None], place: mmap.mmap) -> NoReturn:
    """Judge kernels until one is wrong, and write how many were judged, and what is wrong with the last one."""
    for seed in seeds:
        try:
            text = judge(seed)
        except BaseException as error:  # noqa: BLE001 - the parent reports it
            text = "".join(traceback.format_exception(error))[-2000:]
        place[0] += 1
        if text:
            data = text.encode()
            place[1 : 1 + len(data)] = data
            break
    os._exit(0)


def main(judge: Callable[[int], str | None]) -> None:
    """Compare the drawn kernels between two seeds, the arguments of the command."""
    first, last = map(int, sys.argv[1:])
    found = 0
    for text in wrong(range(first, last), judge):
        found += 1
        print(text, flush=True)  # noqa: T201 - a command line
    print(f"{last - first} drawn kernels, {found} of them wrong")  # noqa: T201
    sys.exit(found > 0)
