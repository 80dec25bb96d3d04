"""Names for values that calls return, so that programs run on every machine.

An address or a handle differs from run to run. A program therefore names each by its process, its kind and a number:
``a.dptr3``. A *fresh* result always gets a new name; an *alias* is resolved to the newest live name that holds the
value, else it gets a new name too. A name carries a count of references and dies when the last is released; the value
of a dead name that is passed again still refers to that name, for a use after free is a program too.

Names of a kind live in a space of their own, per process; what crosses processes (IPC handles, descriptors, fabric
handles) has one space per machine.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.kinds import ADDRESSES, NUMBERS, SHARED

if TYPE_CHECKING:
    from collections.abc import Collection

SMALL = 1 << 16
"""The lower bound of values with names, except for kinds in ``NUMBERS``."""
NEAR = 64 << 20
"""The maximum distance of an address from the object that names it."""


@define(eq=False)
class Name:
    """One generation of a value.

    Attributes:
        text: ``a.dptr3``.
        kind: ``dptr``, ``va``, ``ctx``, ``handle``, ``ipc``, ``fd`` …
        process: The process that obtained it.
        value: What the target returned; a list of handles has one name.
        size: Bytes that it names, 0 when unknown.
        references: How many acquisitions have not been released.
    """

    text: str
    kind: str
    process: str
    value: Any
    size: int = 0
    references: int = 1

    @property
    def live(self) -> bool:
        """Whether any reference to the name is left."""
        return self.references > 0


@define(eq=False)
class Names:
    """The names of one run of a program on one target."""

    by_text: dict[str, Name] = field(factory=dict)
    _kinds: dict[str, list[Name]] = field(factory=dict)
    _counts: dict[tuple[str, str], int] = field(factory=dict)

    def new(self, process: str, kind: str, value: int | bytes | tuple[int, ...], size: int = 0) -> Name:
        """Return a new name for a returned value."""
        owner = "" if kind in SHARED else process
        number = self._counts[owner, kind] = self._counts.get((owner, kind), 0) + 1
        text = f"{owner}.{kind}{number}" if owner else f"{kind}{number}"
        name = self.by_text[text] = Name(text, kind, owner, value, size)
        self._kinds.setdefault(_alike(kind), []).append(name)
        return name

    def again(self, text: str, process: str, kind: str, value: int | bytes, size: int = 0) -> Name:
        """Give a value the name that another run has for it; what had the name before is dead."""
        if text in self.by_text:
            self.by_text[text].references = 0
        name = self.by_text[text] = Name(text, kind, process, value, size)
        self._kinds.setdefault(_alike(kind), []).append(name)
        return name

    def keep(self, texts: Collection[str]) -> None:
        """Forget all names but these, without reusing their numbers."""
        self.by_text = {text: name for text, name in self.by_text.items() if text in texts}
        self._kinds = {}
        for name in self.by_text.values():
            self._kinds.setdefault(_alike(name.kind), []).append(name)

    def count_as(self, other: Names) -> None:
        """Continue the numbering of another run."""
        self._counts = dict(other._counts)

    def number_from(self, owner: str, kind: str, number: int) -> None:
        """Set the next number of a kind."""
        self._counts[owner, kind] = number

    def release(self, text: str) -> None:
        """Release one reference to a name."""
        name = self.by_text.get(text)
        if name is not None:
            name.references = max(0, name.references - 1)

    def alias(self, process: str, kind: str, value: int | bytes) -> tuple[Name, int] | None:
        """Return the newest live name that contains a result, and the offset."""
        for name in reversed(self._kinds.get(_alike(kind), ())):
            if (
                (name.process == process or not name.process)
                and name.live
                and (plus := _inside(name, value)) is not None
            ):
                return name, plus
        return None

    def argument(self, process: str, kind: str, value: int | bytes) -> tuple[Name, int] | None:
        """Return the name and offset of an argument; None for a literal.

        The caller's own names come before those of other processes; what lies in a name before what lies just
        behind one; a live name before a dead one; an address further outside a live name is last but one, outside a
        dead one of the caller's last.
        """
        if isinstance(value, int) and kind not in NUMBERS and abs(value) < SMALL:
            return None
        names = self._kinds.get(_alike(kind), ())
        own = [name for name in names if name.process in {"", process}]
        others = [name for name in names if name.process not in {"", process}]
        return _best(own, kind, value) or _best(others, kind, value) or _best(own, kind, value, gone=True)


def _alike(kind: str) -> str:
    """Return the kind under which names are stored."""
    return ADDRESSES[0] if kind in ADDRESSES else kind


def _inside(name: Name, value: int | bytes) -> int | None:
    """Return the offset of a value in a name's range."""
    if name.kind not in ADDRESSES or isinstance(value, bytes) or not isinstance(name.value, int):
        return 0 if value == name.value else None
    plus = value - name.value
    return plus if plus == 0 or 0 < plus < name.size else None


def _best(names: list[Name], kind: str, value: int | bytes, *, gone: bool = False) -> tuple[Name, int] | None:
    """Return the name that an argument refers to among names of a kind, oldest first, and the offset from its value.

    ``gone`` takes an address near a dead name, too.
    """
    found, least = None, None
    # The less the better: it lies in the name, just behind it, or near it; a dead name comes after a live one.
    for name in reversed(names):
        if isinstance(name.value, tuple):  # a list of handles, of which it is one
            if value not in name.value:
                continue
            plus, fit = name.value.index(value), 0
        elif kind not in ADDRESSES or isinstance(value, bytes) or isinstance(name.value, bytes):
            if value != name.value:
                continue
            plus = fit = 0
        else:
            plus = value - name.value
            outside = max(-plus, plus - name.size)
            if plus == 0 or 0 < plus < name.size:
                fit = 0
            elif outside == 0:
                fit = 2
            elif outside < NEAR and (name.live or gone):
                fit = 4 + abs(plus)
            else:
                continue
        if not name.live:
            fit += 1
        elif not fit:
            return name, plus
        if least is None or fit < least:
            found, least = (name, plus), fit
    return found
