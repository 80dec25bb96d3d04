"""Checks at the end of a machine: leaks, and refused calls.

The fixture makes them for a test, and :func:`fakecuda.simulate` for a block.
"""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda import Machine, modes
from fakecuda.errors import CheckWarning, FakeCudaError
from fakecuda.machine import expected_names, findings, late_uses, leaks, refusals

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.machine.leaks import Allowed
    from fakecuda.machine.refusals import Refusals


@define(eq=False)
class Checks:
    """The checks of one machine.

    Attributes:
        leaks: The mode for leaks, one of :data:`fakecuda.modes.MODES`.
        leaks_allowed: Leaks to accept.
        errors: The mode for refused calls.
        errors_allowed: Refused calls to accept.
        machine: The machine; None before ``begin``.
        counted: The refused calls; None if they are not counted.
        problem: What fails a block at its end.
    """

    leaks: str
    leaks_allowed: tuple[Allowed, ...]
    errors: str
    errors_allowed: tuple[expected_names.Allowed, ...]
    machine: Any = None
    counted: Refusals | None = None
    problem: str = field(default="", init=False)

    def begin(self, machine: Any) -> None:
        """Count the refused calls of a machine from now on, unless they are ignored."""
        if self.errors != "ignore" and not findings.is_driver(machine):
            self.machine, self.counted = machine, refusals.count(machine)
            if names := [one for one in self.errors_allowed if isinstance(one, str)]:
                self.counted.blocks.insert(0, refusals.Block(names))
            self.counted.judges = tuple(one for one in self.errors_allowed if not isinstance(one, str))

    def left(self, machine: Any, failure: BaseException | None) -> tuple[str, bool]:
        """Return the leaks as text, and whether leaks are an error.

        Args:
            machine: The machine, which is about to end.
            failure: The exception that failed the test, whose local variables may be dropped; None without one.
        """
        if self.leaks == "ignore" or not leaks.is_seen(machine):
            return "", False
        remains = leaks.at_end(machine, self.leaks_allowed, failure, exact=self.leaks == "error")
        return str(remains), self.leaks == "error" and bool(remains.found)

    def refused(self, *, failed: bool) -> tuple[str, bool]:
        """Return the new refused calls as text, and whether refused calls are an error.

        A wrong function of ``errors_allowed`` is an error in any mode.

        Args:
            failed: Whether the test or the block has failed already.
        """
        if self.counted is None:
            return "", False
        wrong = ""
        if isinstance(self.machine, Machine):
            self.counted.kept = [one for one in self.counted.kept if not late_uses.is_late(self.machine, one.args)]
        try:
            self.counted.judge(self.machine)
        except FakeCudaError as error:
            wrong = str(error)
        advice = refusals.how_to_expect(self.counted.kept[0]) if self.counted.kept and self.errors == "error" else ""
        text = self.counted.take(full=failed or self.errors == "error")
        text += f"\n{advice}" if advice else ""
        is_error = bool(wrong) or (bool(text) and self.errors == "error")
        return "\n".join(filter(None, (wrong, text))), is_error and not failed

    @contextmanager
    def of_block(self, machine: Any) -> Iterator[None]:
        """Check a machine at the end of a block.

        ``problem`` then has what is an error. Anything else is warned of. An exception of the block gets all of it as
        notes.
        """
        self.begin(machine)
        try:
            yield
        except Exception as error:
            left, _ = self.left(machine, None)  # the local variables of a traceback are the program's
            left = leaks.after_failure(left) if self.leaks == "error" else leaks.briefly(left, 'leaks="error"')
            for text in (left, self.refused(failed=True)[0]):
                if text:
                    error.add_note(text)
            raise
        found = self.left(machine, None), self.refused(failed=False)
        self.problem = "\n".join(text for text, is_error in found if is_error)
        for text, is_error in found:
            if text and not is_error:
                warnings.warn(CheckWarning(text), stacklevel=STACK)


STACK = 6
"""Frames from a warning to the program: of this module, of ``install``, of ``simulation``, and two of contextlib."""


def checks_of(
    mode: str, leaks_allowed: Iterable[Allowed], errors: str, errors_allowed: Iterable[expected_names.Allowed]
) -> Checks:
    """Return the checks for the arguments of the mark and of ``simulate``.

    Args:
        mode: The mode for leaks.
        leaks_allowed: Leaks to accept.
        errors: The mode for refused calls.
        errors_allowed: Refused calls to accept.

    Raises:
        FakeCudaError: A mode, a kind of leak, a code, a call or a rule is unknown; the text names similar ones.
    """
    if problem := modes.wrong("leaks", mode) or modes.wrong("errors", errors):
        raise FakeCudaError(problem)
    return Checks(mode, leaks.checked(leaks_allowed), errors, expected_names.checked(errors_allowed))
