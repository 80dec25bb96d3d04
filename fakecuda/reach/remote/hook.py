"""The start-up hook of shared machines: ``python -m fakecuda hook`` puts it into an environment, ``--remove`` takes it out.

A wheel brings the hook, and so does an editable installation. A checkout on PYTHONPATH does not.
"""

from __future__ import annotations

import site
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


def put() -> str:
    """Write the hook into this interpreter's environment, and return a line that says so."""
    place = _place()
    place.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    return f"installed {place}"


def remove() -> str:
    """Remove the hook from this interpreter's environment, and return a line that says so."""
    place = _place()
    place.unlink(missing_ok=True)
    return f"removed {place}"


def _place() -> Path:
    return Path(sysconfig.get_path("purelib")) / NAME
