"""``fakecuda serve``.

A machine without a test, for a command and its children, or until a signal.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.machine.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from fakecuda.model.finding import Finding
    from fakecuda.reach.remote.owner.endpoint import Offer

ENDING = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a program as Ctrl-C does."""
PASSED_ON = (*ENDING, signal.SIGUSR1, signal.SIGUSR2)
"""Signals that a program gets from the command that runs it: schedulers of clusters send them before they end a job."""
OF_THE_TERMINAL = (signal.SIGQUIT,)
"""Signals that a terminal sends to a program as well as to the command that runs it, as Ctrl-C does."""
UNFINISHED = 2
"""The exit status of a command that has not come to its end."""
SIGNALLED = 128
"""Exit statuses above this mean that a signal ended the program."""


class NoProgramError(FakeCudaError):
    """The program to run does not exist or cannot be run; the text says why."""


def serve(profile: str, command: Sequence[str], *, strict: bool, kernels: str) -> int:
    """Offer a machine until its program ends, or until a signal.

    Args:
        profile: A profile's name, or the path of a TOML file.
        command: The program to run on the machine; signals are passed on to it. Without a command, the environment
            variables that a program needs are printed.
        strict: Report undefined behaviour.
        kernels: What becomes of a launch of a kernel without a Python function, as for ``Machine``.

    Raises:
        NoProgramError: The program cannot be started.

    Returns:
        The program's exit status, or 1 if it is 0 but there was undefined behaviour.
    """
    if command:
        find_program(command[0])
    status = int(bool(command))
    findings: list[Finding] = []
    try:
        with handled(_stop), Machine(profile, strict=strict, kernels=kernels) as machine, machine.shared() as sharing:
            findings = machine.findings
            _link(sharing)
            if command:
                status = run_program(command)
            else:
                lines = [f"export {name}={shlex.quote(value)}\n" for name, value in sharing.environ().items()]
                sys.stdout.buffer.write(os.fsencode("".join(lines)))  # a path may not be valid text
                sys.stdout.flush()
                while True:
                    signal.pause()
    except KeyboardInterrupt:
        pass
    for finding in findings:
        sys.stderr.write(f"fakecuda: undefined behaviour: {finding}\n")
    return status or int(bool(findings))


def find_program(program: str) -> None:
    """Do nothing if a program can be found.

    Raises:
        NoProgramError: It cannot; the text says why.
    """
    if shutil.which(program) is None:
        raise NoProgramError(_why(program))


def _why(program: str) -> str:
    """Return why a program cannot be run."""
    path = Path(program)
    if path.is_dir():
        return f"{program} is a directory: name a program"
    if path.exists() and os.sep in program:
        return f"{program} is not executable: make it executable with chmod +x, or write another program after --"
    return f"there is no program {program}: write its path, or a name that PATH finds, after --"


def _link(sharing: Offer) -> None:
    """Let programs without Python attach, too.

    Without a C compiler for their client, print why they cannot.
    """
    try:
        sharing.link()
    except FakeCudaError as error:
        sys.stderr.write(f"fakecuda: {error}\n")


def _stop(*_: object) -> None:
    """Raise KeyboardInterrupt to end a command.

    Ignore further signals, which would interrupt its end.
    """
    for number in ENDING:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def run_program(command: Sequence[str], environ: Mapping[str, str] | None = None) -> int:
    """Run a program and return its exit status as a shell does.

    Pass signals on to it.

    Args:
        command: The program and its arguments.
        environ: Its environment; by default that of this process.

    Raises:
        NoProgramError: It cannot be started.
    """
    came: list[int] = []
    program: list[subprocess.Popen[bytes]] = []

    def pass_on(number: int, _: object) -> None:
        if program:
            program[0].send_signal(number)
        else:
            came.append(number)

    with handled(pass_on, PASSED_ON), handled(lambda *_: None, OF_THE_TERMINAL):
        try:
            program.append(subprocess.Popen(command, env=given(environ), close_fds=False))  # noqa: S603 - the user's own
        except OSError as error:
            msg = f"{command[0]} cannot be run ({error.strerror}): write the path of an executable program after --"
            raise NoProgramError(msg) from error
        for number in came:  # signals during the start, each once
            program[0].send_signal(number)
        while True:
            try:
                status = program[0].wait()
            except KeyboardInterrupt:  # the terminal sends Ctrl-C to the program, too
                continue
            return as_a_shell(status)


def given(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the environment of a program: without the LC_CTYPE that Python adds to its own in the C locale (PEP 538).

    Args:
        environ: The environment; by default that of this process.
    """
    variables = dict(os.environ if environ is None else environ)
    if not any(one.startswith(b"LC_CTYPE=") for one in Path("/proc/self/environ").read_bytes().split(b"\0")):
        variables.pop("LC_CTYPE", None)
    return variables


def to_its_end(command: Callable[[], int]) -> int:
    """Return the exit status of a command, or 2 and a line that says why it has not come to its end; a signal leaves no files behind."""
    try:
        with handled(_stop):
            return command()
    except (KeyboardInterrupt, FakeCudaError) as error:
        why = str(error) or "ended by a signal: the rest is neither written nor checked"
        with suppress(AttributeError, OSError):  # standard error is closed, or full
            sys.stderr.write(f"fakecuda: {why}\n")
    return UNFINISHED


def as_a_shell(status: int) -> int:
    """Return the exit status of a program as a shell has it: 128 and the signal's number if a signal ended it."""
    return status if status >= 0 else SIGNALLED - status


@contextmanager
def handled(handler: Callable[[int, Any], None], numbers: Sequence[int] = ENDING) -> Iterator[None]:
    """Handle signals, by default those that end a program, except ignored ones."""
    former = {number: signal.getsignal(number) for number in numbers}
    for number, one in former.items():
        if one != signal.SIG_IGN:
            signal.signal(number, handler)
    try:
        yield
    finally:
        for number, one in former.items():
            if signal.getsignal(number) is handler:
                signal.signal(number, one)
