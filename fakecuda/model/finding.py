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
        made: The operation that was called, and its arguments. None outside of a call.
        command: The process id and command line, if the process is another OS process. Empty for this one.
        libraries: The C libraries that called, the nearest first, if they are known.
        machine: The machine that records the calls. None if that is in another OS process.
        before: The last record in the log before the call, by which the record of the call is found.
        callers: Returns the C libraries that have called, for calls through C.
        told: Returns the text of the report. A package above this one sets it, because it knows the rules.
        shown: Returns the report as HTML, for a notebook. The same package sets it.
        drawn: Returns the picture. The same package sets it.
    """

    callers: ClassVar[Callable[[], tuple[str, ...]]] = tuple
    told: ClassVar[Callable[[Finding], str]]
    shown: ClassVar[Callable[[str], str]]
    drawn: ClassVar[Callable[[Finding], Picture]]

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
