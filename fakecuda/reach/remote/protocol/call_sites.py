"""The places where an attached process made a call.

They are for the history of the owner's objects.
The model keeps stacks as code objects. The owner makes code objects for places in another process, from their file,
line and name. The call then goes through functions with this code.
"""

from __future__ import annotations

from functools import lru_cache, partial
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.rules.dispatch import Op

T = TypeVar("T")
Place = tuple[str, int, str | None]
"""File, line and function; or file, None and offset of native code."""
MOST = 12
"""The maximum number of places of a stack."""
STACKS = 32
"""The maximum number of numbered stacks of a connection."""
FARTHEST = 1 << 48
"""A number above all offsets in native files."""
LONGEST = 1000
DEPTH = 5
"""The number of fakecuda's own frames in a call."""
OUTSIDE: dict[str, Any] = {"__name__": "another process"}
"""The globals of functions that are not fakecuda's own."""
_TEMPLATE = (lambda inner: inner()).__code__
_OUTER = (lambda inner: deeper(inner)).__code__  # type: ignore[name-defined]  # noqa: F821, PLW0108 - one of its globals
_places: dict[tuple[CodeType, int], Place] = {}


def here() -> tuple[Place, ...]:
    """Return the places of the caller's stack outside fakecuda, innermost first."""
    return of(history.here(DEPTH))


def of(stack: history.Stack) -> tuple[Place, ...]:
    """Return the places of a stack."""
    found = []
    for number in range(0, len(stack), 2):
        key = stack[number], stack[number + 1]
        place = _places.get(key)
        if place is None:
            place = _places[key] = _place(*key)
        found.append(place)
    return tuple(found)


def _place(code: CodeType, offset: int) -> Place:
    if (inside := history.native_offset(code)) is not None:
        return code.co_filename, inside, None
    text = history.lines((code, offset))[0]
    line = text.removeprefix(f"{code.co_filename}:").partition(" ")[0]
    return code.co_filename[-LONGEST:], int(line), code.co_qualname[-LONGEST:]


def stack(places: tuple[Place, ...]) -> history.Stack:
    """Return a stack with given places."""
    return tuple(part for place in places for part in (_code(place, _TEMPLATE), 0))


def fit(places: Any, most: int = MOST) -> bool:
    """Return whether a value is the places of a stack."""
    return type(places) is tuple and len(places) <= most and all(map(_fits, places))


def _fits(place: Any) -> bool:
    if type(place) is not tuple or len(place) != 3:  # noqa: PLR2004 - file, line and function
        return False
    file, line, name = place
    texts = (file,) if name is None else (file, name)
    fit = all(type(text) is str and len(text) <= LONGEST and "\0" not in text for text in texts)
    return fit and type(line) is int and 0 < line < (FARTHEST if name is None else 1 << 24)


def known(value: Any, stacks: dict[int, tuple[Place, ...]]) -> tuple[Place, ...] | None:
    """Return the places of a call, or None.

    Args:
        value: The places; a number, which stands for places that came with it before; or that number and its places.
        stacks: The connection's places by number; new ones are added.
    """
    if type(value) is int:
        return stacks.get(value)
    number = None
    if type(value) is tuple and value and type(value[0]) is int:
        if len(value) != 2 or not 0 <= value[0] < STACKS:  # noqa: PLR2004 - the number and its places
            return None
        number, value = value
    if not fit(value):
        return None
    if number is not None:
        value = stacks[number] = shown(value)
    return cast("tuple[Place, ...]", value)


def shown(places: tuple[Place, ...]) -> tuple[Place, ...]:
    """Return the places that a report shows; see :func:`fakecuda.model.history.nearest`."""
    return tuple(history.nearest(places)) if places and places[0][2] is None else places


def invoke(places: tuple[Place, ...], op: Op, call: Call, args: tuple[Any, ...]) -> tuple[int, Any]:
    """Make a call as if it came from given places."""
    return come_from(places, partial(_surface, op, call, args))


def come_from(places: tuple[Place, ...], function: Callable[[], T]) -> T:
    """Call a function as if the call came from given places."""
    return cast("T", _chain(places)(function))


def _surface(op: Op, call: Call, args: tuple[Any, ...]) -> tuple[int, Any]:
    return op.invoke(call, *args)


@lru_cache(maxsize=4096)
def _chain(places: tuple[Place, ...]) -> Callable[..., Any]:
    """Return a function that calls its argument, as if from given places."""
    deeper = None if places else _nowhere
    for place in places:
        deeper = FunctionType(_code(place, _TEMPLATE if deeper is None else _OUTER), {**OUTSIDE, "deeper": deeper})
    assert deeper is not None
    return deeper


@lru_cache(maxsize=4096)
def _code(place: Place, template: CodeType) -> CodeType:
    """Return code at a place."""
    file, line, name = place
    if name is None:
        line, name = 1, history.native_name(line)
    return template.replace(co_filename=file, co_firstlineno=line, co_name=name, co_qualname=name)


_nowhere = FunctionType(_TEMPLATE.replace(co_name="_nowhere"), OUTSIDE)
"""A function that calls its argument; stacks without a place end here."""
history.bottoms |= {come_from.__code__, _nowhere.__code__}
