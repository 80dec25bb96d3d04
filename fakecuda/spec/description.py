"""The descriptions of the calls of each API, as data.

``CALLS`` says for every function of the driver API its exported symbol and its parameters, ``runtime.CALLS`` the same for
the runtime API; doors, call log, recordings and tests are derived from them. They stand in
``generated``, which ``python -m tools.codegen`` writes; how answers compare stands in ``driver.compare.toml`` and the like.

A *plain value* is what ops take and return: an int for integers, enums, handles and pointers; bytes for IPC handles
(64), uuids (16) and strings; a tuple of plain values for a struct passed by pointer, None for a null pointer.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).parent


@frozen
class Param:
    """One parameter of a C prototype.

    Attributes:
        name: Its name in the prototype.
        type: Its C type without const and stars.
        pointer: Whether the prototype has a pointer.
        role: ``in``, ``out``, ``buffer_in``, ``buffer_out`` (host memory), ``string_in`` or ``string_out``; ``inout`` is read
            behind its pointer, and written there: an input, and a result of the same name.
        keyword: Its keyword in cuda.bindings, empty for results.
        kind: How the plain value looks: ``integer``, ``struct``, ``bytes``, ``host``, ``string`` or ``any``.
        compare: How conformance compares a result: ``exact``, ``profile``, ``fresh``, ``alias`` or ``volatile``.
        length: The parameter that holds the size of a string or buffer.
        count: The parameter that holds the length of an array.
        array: Whether the plain value is a tuple of structs.
    """

    name: str
    type: str
    pointer: bool
    role: str
    keyword: str
    kind: str
    compare: str = "exact"
    length: str = ""
    count: str = ""
    array: bool = False

    @property
    def has_default(self) -> bool:
        """Whether cuda.bindings uses 0 if the argument is missing."""
        return self.role == "inout" and self.type == "size_t"


@frozen
class Function:
    """One function of the API.

    Attributes:
        name: Its name in the manual and in cuda.bindings.
        symbol: The versioned symbol that the binding calls, ``cuMemAlloc_v2``.
        version: The CUDA version that introduced the symbol, 1000 * major + 10 * minor.
        ptds: The symbol's per-thread-default-stream variant, or empty.
        params: The parameters in C order.
        inputs: Those that a caller gives (every role but ``out``; a ``string_out`` is given by its length alone).
        outputs: The results, in C order; what is both, ``inout``, is among these, too.
        acquires: Whether a success adds a reference to the value of the first result.
        releases: The input whose value loses a reference on success, or empty.
        bound: Whether cuda.bindings has it. Programs of a compiler call the others, which the look-alike lacks, too.
    """

    name: str
    symbol: str
    version: int
    ptds: str
    params: tuple[Param, ...]
    inputs: tuple[Param, ...] = field(init=False)
    outputs: tuple[Param, ...] = field(init=False)
    acquires: bool = False
    releases: str = ""
    bound: bool = True

    @inputs.default
    def _inputs(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if p.role not in {"out", "string_out"})

    @outputs.default
    def _outputs(self) -> tuple[Param, ...]:
        return tuple(p for p in self.params if p.role in {"out", "string_out", "inout"})

    @property
    def has_default(self) -> bool:
        """Whether the last argument in cuda.bindings has a default."""
        return any(p.has_default for p in self.params)


class Functions(Mapping[str, Function]):
    """Functions by name, each created on first use.

    Args:
        makers: What makes them.
    """

    __slots__ = ("_made", "_makers")

    def __init__(self, makers: Mapping[str, Callable[[], Function]]) -> None:
        self._makers = makers
        self._made: dict[str, Function] = {}

    def __getitem__(self, name: str) -> Function:
        found = self._made.get(name)
        if found is None:
            found = self._made[name] = self._makers[name]()
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


@frozen
class Exported:
    """A library from an API's description.

    Attributes:
        symbols: The functions that it exports.
        texts: Those of them that return an address.
        sonames: Names by which programs and the dynamic loader know it.
        versions: The versions of its symbols.
    """

    symbols: tuple[str, ...] = field(default=(), converter=tuple)
    texts: tuple[str, ...] = field(default=(), converter=tuple)
    sonames: tuple[str, ...] = field(default=(), converter=tuple)
    versions: tuple[str, ...] = field(default=(), converter=tuple)


@frozen
class Description:
    """The description of an API.

    Attributes:
        calls: Its functions by name.
        rows: The same as the file has them.
        structs: Fields of its structs as (type, name) in C order.
        enums: Members of its enums.
        handles: The names of its handle classes.
        constants: Its other numbers.
        release: The release of cuda-bindings that all this is of.
        symbols: The functions of the API by which others are found; of HIP, where it does not stand in a table of its own.
        library: The library; of HIP, likewise.
        beyond: The functions of the binding out of the scope, of HIP.
    """

    calls: Functions
    rows: dict[str, dict[str, Any]]
    structs: dict[str, list[tuple[str, str]]]
    enums: dict[str, dict[str, int]]
    handles: list[str]
    constants: dict[str, int]
    release: str
    symbols: frozenset[str] = frozenset()
    library: Exported = Exported()
    beyond: dict[str, Function] = field(factory=dict)


def load(name: str) -> Description:
    """Return the description ``driver``, ``runtime`` or ``forms``."""
    data = json.loads((HERE / "generated" / f"{name}.json").read_text(encoding="utf-8"))
    rows = data["calls"]
    calls = Functions({label: partial(_call, name, label, row) for label, row in rows.items()})
    structs = {name: [(kind, label) for kind, label in fields] for name, fields in data["structs"].items()}
    release, symbols = next(iter(data["from"].values())), frozenset(data.get("symbols", ()))
    numbers = (structs, data["enums"], data["handles"], data["constants"])
    library = Exported(**data.get("library", {}))
    beyond = {label: _beyond(label, **row) for label, row in data.get("beyond", {}).items()}
    return Description(calls, rows, *numbers, release, symbols, library, beyond)


def _beyond(name: str, takes: list[str], results: int) -> Function:
    """Return a function that only the bindings describe."""
    given = [Param(label, "", pointer=False, role="in", keyword=label, kind="integer") for label in takes]
    made = [Param(f"result{n}", "", pointer=True, role="out", keyword="", kind="integer") for n in range(results)]
    return Function(name, name, 0, "", (*given, *made))


def _call(api: str, name: str, row: dict[str, Any]) -> Function:
    how = _compared("driver" if "base" in row else api).get(row.get("base", name), {})
    own = {key: value for key, value in row.items() if key not in {"params", "base"}}
    params = tuple(Param(**{"compare": how.get(p["name"], "exact"), **p}) for p in row["params"])
    return Function(
        name=name, params=params, acquires=how.get("acquires", False), releases=how.get("releases", ""), **own
    )


@cache
def _compared(api: str) -> dict[str, Any]:
    return tomllib.loads((HERE / f"{api}.compare.toml").read_text(encoding="utf-8"))
