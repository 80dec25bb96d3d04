"""``python -m conformance.pages DIR``: write the pages without a run."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from conformance.pages.write import write


def main() -> int:
    """Write the pages into a folder, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.pages", description="Write the report of conformance as pages."
    )
    parser.add_argument("folder", type=Path, metavar="DIR", help="where they go")
    folder = parser.parse_args().folder
    print("reading recordings and writing pages, some seconds", flush=True)
    first = write(folder)[0]
    print(f"the report of conformance is {first}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
