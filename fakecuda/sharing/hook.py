"""Putting the start-up hook into an environment: ``python -m fakecuda.sharing.hook``, with ``--remove`` to take it out.

A wheel brings it, and so does an editable installation. A checkout on PYTHONPATH does not: this does it once for the
environment of the interpreter that runs it.
"""

from __future__ import annotations

import argparse
import site
import sys
import sysconfig
from pathlib import Path

NAME = "fakecuda.pth"
SOURCE = Path(__file__).with_name(NAME)


def installed() -> bool:
    """Return whether Pythons of this environment run the hook when they start."""
    folders = {sysconfig.get_path("purelib"), *site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    return any((Path(folder) / NAME).exists() for folder in folders)


def main(arguments: list[str] | None = None) -> int:
    """Put the hook in, or take it out."""
    parser = argparse.ArgumentParser(prog="python -m fakecuda.sharing.hook", description=__doc__.partition(":")[0])
    parser.add_argument("--remove", action="store_true", help="take it out")
    options = parser.parse_args(arguments)
    place = Path(sysconfig.get_path("purelib")) / NAME
    if options.remove:
        place.unlink(missing_ok=True)
    else:
        place.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    sys.stdout.write(f"{place} {'is gone' if options.remove else 'is there'}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
