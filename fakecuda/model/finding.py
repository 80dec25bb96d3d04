"""Records of undefined behaviour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from attrs import field, frozen

from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.explain.pictures.svg import Picture
    from fakecuda.model.machine import Machine
    from fakecuda.rules.core import Rule
    from fakecuda.rules.dispatch import Op


@frozen
class Finding:
    """A broken undefined-behaviour rule.

    Attributes:
        rule: The rule.
        call: The call that broke it.
        process: The name of the calling process.
        facts: The values and objects that broke the rule.
        stack: The stack that called.
        made: The operation that was called, and its arguments; None where no call was under way.
        command: The number and the command line of a process that is another OS process; empty for this one.
        libraries: The C libraries that called, the nearest first, where that is known.
        machine: The machine that keeps the calls; None where that is another process's.
        before: The last record of a call that there was then, by which the record of this one is found.
    """

    callers: ClassVar[Callable[[], tuple[str, ...]]] = tuple
    """Hook: returns the C libraries that call, the nearest first. Set when the native door is loaded, else ``tuple``.

    Called without arguments when a call through C makes a finding. It must not raise.
    """
    told: ClassVar[Callable[[Finding], str]]
    """Hook: composes the report. Set when ``explain.reports.told`` is loaded.

    Called with the finding when its text is asked for. It must not change the finding.
    """
    shown: ClassVar[Callable[[str], str]]
    """Hook: makes HTML of the report, for a notebook. Set when ``machine`` is loaded.

    Called with the report. It must not call the driver.
    """
    drawn: ClassVar[Callable[[Finding], Picture]]
    """Hook: draws the picture. Set when ``machine`` is loaded.

    Called with the finding. It must not change the finding or its machine.
    """

    rule: Rule
    call: str
    process: str
    facts: dict[str, Any] = field(factory=dict)
    stack: history.Stack = field(default=history.NOWHERE, eq=False, repr=False)
    made: tuple[Op, tuple[Any, ...]] | None = field(default=None, eq=False, repr=False)
    command: str = field(default="", eq=False, repr=False)
    libraries: tuple[str, ...] = field(default=(), eq=False, repr=False)
    machine: Machine | None = field(default=None, eq=False, repr=False, kw_only=True)
    before: tuple[Any, ...] | None = field(default=None, eq=False, repr=False, kw_only=True)

    def draw(self) -> Picture:
        """Return a picture of the calls that led to the finding.

        ``machine.draw(timeline=True)`` draws it in the same way.

        The picture of a race shows both accesses.
        """
        return type(self).drawn(self)

    def __str__(self) -> str:
        return type(self).told(self)

    def _repr_html_(self) -> str:
        return type(self).shown(str(self))
