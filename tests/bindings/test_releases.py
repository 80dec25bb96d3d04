"""The table of what differs between releases of cuda-bindings: each entry is asked of the release that is installed."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
import textwrap
import tomllib
import warnings
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, Machine, UnknownBindingsWarning
from fakecuda.model.os.threads import Callers
from fakecuda.reach.bindings.driver import Driver
from fakecuda.reach.bindings.installed import INSTALLED, RELEASE
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.bindings import FIRST, LAST, SUPPORTED, TABLES, checked, functions, holding, order, rules
from fakecuda.spec.driver import CALLS, DESCRIBED, ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
PLAIN = (
    *("enum_arguments", "enum_names", "sequences", "single_structs", "addresses", "address_types", "unknown_codes"),
    "absent_functions",
)
NESTED = ("attributes", "pointer_values")
CHANGING: dict[tuple[str, ...], dict[str, Any]] = {
    **{(name,): TABLES[name] for name in PLAIN},
    **{(name, part): table for name in NESTED for part, table in TABLES[name].items()},
    **{
        ("keywords", name, label): table
        for name, labels in TABLES["keywords"].items()
        for label, table in labels.items()
    },
}
"""The tables whose entries replace each other, by their index."""
LATER: dict[str, Any] = TABLES["later"]
needs_wheel = pytest.mark.skipif(INSTALLED is None, reason="the real binding: pip install 'fakecuda[cuda]'")


class Member(int):
    """A number that every enum accepts as a member."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


UNKNOWN = 998877
"""A code that CUresult does not have."""


@pytest.fixture
def machine() -> Iterator[Machine]:
    """A machine that the real binding reaches."""
    door = pytest.importorskip("fakecuda.reach.native.door", reason="the native door carries the real binding")
    with Machine(strict=False) as machine:
        door.attach(machine)
        try:
            INSTALLED.cuInit(0)
            yield machine
        finally:
            door.detach(machine)


def refusal(function: Callable[..., Any], *args: object) -> str:
    """Return the text of what a function raises, or nothing."""
    try:
        function(*args)
    except Exception as error:  # noqa: BLE001 - whatever it raises
        return str(error)
    return ""


def _taken(driver: Any, name: str, *args: object) -> bool:
    """Return whether a binding has a function that takes the arguments."""
    return hasattr(driver, name) and "incorrect type" not in refusal(getattr(driver, name), *args)


ASKED: dict[str, Callable[[Any], Any]] = {
    "enum_arguments": lambda d: "value" if "'value'" in refusal(d.cuDeviceGetAttribute, 1, 0) else "int",
    "enum_names": lambda d: (
        refusal(d.cuDeviceGetAttribute, Member(1 << 40), 0)
        .removeprefix("value too large to convert to ")
        .replace("CUdevice_attribute_enum", "{}")
    ),
    "sequences": lambda d: re.findall(r"(\w+)\[", refusal(d.cuPointerGetAttributes, 1, ["x"], 0)),
    "single_structs": lambda d: (
        [] if _taken(d, "cuDevSmResourceSplit", 1, None, 0, []) else ["groupParams"]  # 13.0 does not have it
    ),
    "addresses": lambda d: "int" if refusal(d.cuMemHostGetFlags, 1.0) else "__int__",
    "address_types": lambda d: re.findall("expected Type (.*) or object", refusal(d.cuMemHostGetFlags, "x"))[0],
}
"""Behaviour of a binding, by its table."""
READERS: dict[str, Callable[[Any, Any], Any]] = {
    "CUpointer_attribute": lambda d, member: d.cuPointerGetAttribute(member, 0),
    "CUmemPool_attribute": lambda d, member: d.cuMemPoolGetAttribute(0, member),
    "CUmem_range_attribute": lambda d, member: d.cuMemRangeGetAttribute(4, member, 0, 0),
}


def asked(driver: Any, name: str, *parts: str) -> Any:
    """Return what a binding does, in the words of a table."""
    if name == "attributes":
        (kind,) = parts
        refused = {m for m in getattr(driver, kind) if "Unsupported" in refusal(READERS[kind], driver, m)}
        return max(int(member) for member in getattr(driver, kind) if member not in refused)
    if name == "pointer_values":
        member = getattr(driver.CUpointer_attribute, f"CU_POINTER_ATTRIBUTE_{parts[0]}")
        text = refusal(driver.cuPointerSetAttribute, -1, member, 0)
        return text.removeprefix("can't convert negative value to ").replace("PY_LONG_LONG", "long long") or "int"
    if name == "keywords":
        function, label = parts
        place = [param.name for param in CALLS[function].params if param.keyword].index(label)
        # The results that go in as well have keywords of the binding's own.
        mine = [param.keyword for param in functions(RELEASE)[function].params if param.keyword]
        found = [word for word in inspect.signature(getattr(driver, function)).parameters if word != "input_"]
        assert found == mine
        return found[place]
    return ASKED[name](driver)


def _entries() -> Iterator[Any]:
    for place, table in CHANGING.items():
        # A library that lacks functions is made in tests/realcuda: test_functions_that_the_driver_lacks.
        for since in table if place != ("absent_functions",) else ():
            yield pytest.param(place, since, id=f"{'.'.join(place)}-{since}")


@needs_wheel
@pytest.mark.parametrize(("place", "since"), list(_entries()))
def test_each_entry_is_what_the_binding_does(place: tuple[str, ...], since: str, machine: Machine) -> None:
    """Where a release is installed that the entry holds in; elsewhere it says so."""
    table = CHANGING[place]
    held = [release for release in table if order(release) <= order(RELEASE)]
    if since != max(held, key=order):
        pytest.skip(f"cuda-bindings {RELEASE} is installed, in which another entry holds")
    if place != ("unknown_codes",):
        assert asked(INSTALLED, *place) == table[since]
        return
    INSTALLED.cuDeviceGet(99)
    *_, rule, _ = machine.calls[-1]
    assert rule is not None
    code = rule.code
    object.__setattr__(rule, "code", UNKNOWN)
    told = set()
    try:
        for driver in (INSTALLED, machine.here.driver):
            with pytest.raises((KeyError, ValueError)) as caught:
                driver.cuDeviceGet(99)
            told.add((caught.type.__name__, str(caught.value)))
    finally:
        object.__setattr__(rule, "code", code)
    assert [name for name, _ in told] == [table[since]]


@needs_wheel
def test_functions_are_those_of_the_binding() -> None:
    """All of them, and no other."""
    kind = type(INSTALLED.cuInit)
    real = {name for name, value in vars(INSTALLED).items() if name.startswith("cu") and isinstance(value, kind)}
    assert real == set(functions(RELEASE))
    assert {name for name in dir(Driver(Callers(lambda: None))) if name in CALLS} == real & set(CALLS)


@needs_wheel
@pytest.mark.parametrize("name", sorted(LATER))
def test_functions_that_the_description_lacks(name: str) -> None:
    """They have the binding's keywords and as many results; a machine answers NOT_SUPPORTED."""
    if name not in functions(RELEASE):
        pytest.skip(f"cuda-bindings {RELEASE} is installed, which has no {name}")
    call = functions(RELEASE)[name]
    keywords = [param.keyword for param in call.inputs]
    real = getattr(INSTALLED, name)
    assert keywords == list(inspect.signature(real).parameters)
    returns = textwrap.dedent(re.split(r"Returns\n *-+\n", real.__doc__)[1].partition("See Also")[0])
    assert re.findall(r"^(\w+)", returns, re.MULTILINE) == [
        "CUresult",
        *(param.name for param in call.outputs),
    ]
    with Machine() as machine, pytest.warns(match=f"{name} is not modelled"):
        assert getattr(machine.here.driver, name)(*[None] * len(keywords)) == (801, *[None] * len(call.outputs))


def test_tables_are_of_releases_that_were_asked() -> None:
    """From the first to the last; an entry that says what the one before says, says nothing."""
    for table in (*CHANGING.values(), TABLES["functions"], dict.fromkeys(late["since"] for late in LATER.values())):
        assert list(table) == sorted(table, key=order)
        assert all(order(FIRST) <= order(since) <= order(LAST) for since in table)
    for table in CHANGING.values():
        assert next(iter(table)) == FIRST
        values = list(table.values())
        assert all(one != other for one, other in pairwise(values))
    assert order(FIRST) <= order(DESCRIBED) <= order(LAST)


CAME_LATER = {"cuCheckpointProcessRestore"}
"""Modelled functions that the first release did not have."""


def test_tables_are_of_what_there_is() -> None:
    """Enums, attributes and functions; of those that came later few are modelled."""
    assert set(TABLES) == {*PLAIN, *NESTED, "keywords", "functions", "later", "first", "last"}
    for name, table in TABLES["attributes"].items():
        assert set(table.values()) <= set(ENUMS[name].values())
    assert {f"CU_POINTER_ATTRIBUTE_{name}" for name in TABLES["pointer_values"]} <= set(ENUMS["CUpointer_attribute"])
    assert set(TABLES["keywords"]) <= set(CALLS)
    added = [name for names in TABLES["functions"].values() for name in names]
    assert len(added) == len(set(added))
    assert set(added) <= set(CALLS)
    assert set(added) & set(DRIVER.ops) == CAME_LATER
    assert not set(LATER) & set(CALLS)


def test_the_table_is_read_by_release() -> None:
    """An entry holds from its release on, also in those between and after."""
    table = {"13.0.1": "a", "13.4.3": "b"}
    assert [holding(table, release) for release in ("12.9", "13.0.1", "13.4.2", "13.4.3", "13.10.0")] == [
        None,
        "a",
        "a",
        "b",
        "b",
    ]
    assert order("13.6.0rc1") == (13, 6, 0)
    assert rules("13.3.1").enum_names == rules("13.3.0").enum_names == "enum {}"
    assert rules("13.3.1").attributes["CUpointer_attribute"] == 17


def test_functions_of_another_release() -> None:
    """They come and are renamed; nearly all that is modelled is always there."""
    for release in (FIRST, "13.3.1", DESCRIBED, LAST):
        assert set(DRIVER.ops) - set(functions(release)) == (CAME_LATER if release == FIRST else set())
    assert set(functions(DESCRIBED)) == set(CALLS)
    assert "cuLaunchHostFunc_v2" not in functions("13.1.1")
    assert "cuLaunchHostFunc_v2" in functions("13.2.0")
    renamed = functions("13.0.3")["cuDevSmResourceSplitByCount"].inputs
    assert "useFlags" in [param.keyword for param in renamed]
    assert [param.name for param in functions(LAST)["cuTensorMapSetAllocationClass"].outputs] == ["outAllocClass"]


def test_releases_that_are_not_in_the_table() -> None:
    """What came before and another major version are refused, a later one is taken for the last with a warning; both texts name the fix."""
    for release in ("12.9.4", "13.0.0", "14.0.0"):
        with pytest.raises(FakeCudaError, match=rf"cuda-bindings {release} .*pip install '{SUPPORTED}'"):
            checked(release)
    with pytest.warns(UnknownBindingsWarning, match=rf"cuda-bindings 13\.6\.0 .*pip install '{SUPPORTED}'"):
        assert checked("13.6.0") == "13.6.0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert checked("13.5.9") == "13.5.9"


def test_the_extra_asks_for_releases_of_the_table() -> None:
    """None that is not in it is installed with it."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert extras["cuda"] == [SUPPORTED]
    assert f"cuda-bindings=={DESCRIBED}" in extras["dev"]


@needs_wheel
@pytest.mark.parametrize(("release", "told"), [("13.6.0", "UnknownBindingsWarning"), ("12.9.4", "FakeCudaError")])
def test_an_unknown_release_is_told_of_once(release: str, told: str) -> None:
    """At the first use of a machine."""
    text = f"""
import cuda.bindings
cuda.bindings.__version__ = {release!r}
import fakecuda
for _ in range(2):
    with fakecuda.simulate(door="lookalike"):
        from cuda.bindings import driver
        print(driver.cuInit(0))
"""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr.count(f"cuda-bindings {release} is installed") == 1
    assert told in done.stderr
    assert len(done.stdout.splitlines()) == 2 * (told == "UnknownBindingsWarning")
