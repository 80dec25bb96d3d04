"""``fakecuda serve``: a machine that no test owns, for a program and all that it starts, or until it is interrupted."""

from __future__ import annotations

import shlex
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

from fakecuda.simulated.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Sequence


def serve(profile: str, command: Sequence[str], *, strict: bool) -> int:
    """Offer a machine.

    Args:
        profile: A profile's name, or the path of a TOML file.
        command: The program that is run on it; without one, what has to be set is printed.
        strict: Whether undefined behaviour is reported.

    Returns:
        The program's exit status, or 1 where it was well but did what the manual calls undefined.
    """
    with Machine(profile, strict=strict) as machine, machine.shared() as sharing:
        if command:
            status = subprocess.run(command, check=False).returncode  # noqa: S603 - the user's own
            status = status if status >= 0 else 128 - status
        else:
            for name, value in sharing.environ().items():
                sys.stdout.write(f"export {name}={shlex.quote(value)}\n")
            sys.stdout.flush()
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            try:
                signal.pause()
            except KeyboardInterrupt:
                status = 0
        for finding in machine.findings:
            sys.stderr.write(f"fakecuda: undefined behaviour: {finding}\n")
        return status or int(bool(machine.findings))
