"""The start-up hook of shared machines.

``python -m fakecuda hook`` installs or removes it.
A wheel and an editable installation contain the hook. A checkout on PYTHONPATH does not.
"""

from __future__ import annotations

import site
import sysconfig
from pathlib import Path

NAME = "fakecuda.pth"
SOURCE = Path(__file__).with_name(NAME)


def installed() -> bool:
    """Return whether Python processes of this environment run the hook at their start."""
    folders = {sysconfig.get_path("purelib"), *site.getsitepackages()}
    if site.ENABLE_USER_SITE:
        folders.add(site.getusersitepackages())
    return any((Path(folder) / NAME).exists() for folder in folders)


def put() -> str:
    """Install the hook into this interpreter's environment.

    Return a line that says so.
    """
    place = _place()
    place.write_text(SOURCE.read_text(encoding="utf-8"), encoding="utf-8")
    return f"installed {place}"


def remove() -> str:
    """Remove the hook from this interpreter's environment.

    Return a line that says so.
    """
    place = _place()
    place.unlink(missing_ok=True)
    return f"removed {place}"


def _place() -> Path:
    return Path(sysconfig.get_path("purelib")) / NAME
