"""Count the kernels of PTX files that run here: ``python -m tools.clients.emitted FOLDER``, for example on Triton's cache.

It prints how many kernels run, how many of these as native code, and what stops the others, most frequent first.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from fakecuda.kernels import grid
from fakecuda.kernels.compiled import engine
from fakecuda.kernels.launch import program_of
from fakecuda.kernels.lower import NotLowered, lowered
from fakecuda.model.code import ptx
from fakecuda.model.code.code import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

ARCH = 90
NEWEST = 9, 3
"""The newest version of PTX."""


def counted(folder: Path) -> tuple[Counter[str], Counter[str]]:
    """Return how many kernels there are, run, and run as native code, and how many each obstacle stops."""
    found, obstacles = Counter[str](), Counter[str]()
    for path in sorted(folder.rglob("*.ptx")):
        try:
            image = ptx.parsed(path.read_bytes(), ARCH, NEWEST)
        except Refused:
            obstacles["the driver does not take the file"] += 1
            continue
        program = program_of(path.read_bytes(), ARCH)
        assert program is not None  # it is no cubin
        for name in image.entries:
            found["kernels"] += 1
            try:
                kernel = lowered(program, name)
            except NotLowered as error:
                one = error.instruction
                obstacles[f"{one.name}{''.join(one.modifiers[:2])}: {error.why}"] += 1
                continue
            found["run"] += 1
            found["native"] += engine.native(kernel, grid.TURN) is not None
    return found, obstacles


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the counts.

    Args:
        arguments: Those of the command line.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="FOLDER", type=Path, help="where the PTX files lie")
    found, obstacles = counted(parser.parse_args(arguments).folder)
    print(f"{found['kernels']} kernels: {found['run']} run, {found['native']} of them as native code")
    for text, count in obstacles.most_common():
        print(f"{count:6} {text}")


if __name__ == "__main__":
    main()
