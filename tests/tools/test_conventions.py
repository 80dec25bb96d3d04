"""The conventions of calls have one place: rows of ``<API>.overrides.toml``."""

from __future__ import annotations

import ast
import re
from operator import methodcaller
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.remote.linked import tables
from fakecuda.spec import both, hip, orders
from fakecuda.spec.conventions import BINDING, DATA, FORMS, Convention, convention, key_of
from tools.codegen import arguments, convention_rows, native_values, surfaces
from tools.codegen.steps import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CALLS = {**both.CALLS, **hip.CALLS}
READERS = (
    *("tools/codegen/*.py", "fakecuda/spec/*.py", "fakecuda/reach/bindings/*.py", "fakecuda/reach/native/*.py"),
    *("fakecuda/reach/remote/linked/*.py", "fakecuda/reach/remote/protocol/*.py", "fakecuda/reach/remote/owner/*.py"),
    *("realcuda/plain.py", "realcuda/layouts.py", "conformance/fuzz/by_c.py", "conformance/fuzz/nonsense.py"),
)
"""The code that passes arguments."""
UNMODELLED = "what calls return that are not modelled: the description lacks it"
VERSIONS = "which prototype an older library has"
NAMED = {
    "fakecuda/reach/bindings/driver.py:LOOKALIKE": UNMODELLED,
    "fakecuda/reach/bindings/fallback_classes.py:KINDS": "a class",
    "fakecuda/reach/bindings/lookalike.py:Module": UNMODELLED,
    "fakecuda/reach/bindings/runtime.py:MODULE": UNMODELLED,
    "fakecuda/reach/native/callbacks.py:ARRAY_IS_THERE": "the source of a rule",
    "fakecuda/reach/native/forms.py:EXPORT_TABLE": "advice",
    "fakecuda/reach/native/unraisable.py:TEXTS": "what is answered after an exception",
    "fakecuda/reach/native/runtime.py:_address_of": "how a program's managed variable is found",
    "fakecuda/reach/remote/linked/tables.py:SYMBOL_ADDRESS": "how a program's managed variable is found",
    "fakecuda/spec/cudart.py:COMPILED": "another name of a call",
    "fakecuda/reach/native/objects.py:runtime": "functions that return an address",
    "fakecuda/reach/native/runtime.py:ATTRIBUTES": VERSIONS,
    "fakecuda/reach/remote/linked/tables.py:SHORT": VERSIONS,
    "fakecuda/reach/remote/owner/handle_call.py:FOLLOWED": "what an attached process cannot do",
    "fakecuda/spec/cudart.py:OTHER_IN_12": VERSIONS,
    "fakecuda/spec/cudart.py:SECOND_IN_12": VERSIONS,
    "fakecuda/spec/cudart.py:THIRD_IN_12": VERSIONS,
    "fakecuda/spec/cudart.py:WITH_DATA": VERSIONS,
    "tools/codegen/conventions.py:TAKEN": "calls whose arguments are read although they are not modelled",
    "tools/codegen/halted.py:CHECKPOINTS": "calls that a halted process makes",
    "fakecuda/spec/forms.py:OUT": "which forms are not modelled, and why",
    "tools/codegen/native.py:ANYTIME": "which thread makes the call",
}
"""Statements that name calls for another reason than argument passing."""
FAMILY = re.compile(r"(cu|cuda|hip)[A-Z]\w{6,}$")
"""Names or long prefixes of few calls."""
NAMED |= {
    f"fakecuda/spec/orders.py:{name}": "whose manual is quoted"
    for name, row in orders.rows().items()
    if FAMILY.match(getattr(row, "says", ""))
}
SHORTEST = 4
"""The minimum length of an f-string part that counts as part of a name."""
PLACE = (
    "fakecuda/spec/<API>.overrides.toml is the place for how a call passes its arguments: give the parameter's row a form "
    "or a binding of fakecuda/spec/conventions.py, and let this code look for that"
)


def named(path: Path) -> Iterator[tuple[str, str]]:
    """Yield each call that a module names in a string, with the top-level statement that names it."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        texts = {id(one.value) for one in ast.walk(statement) if isinstance(one, ast.Expr)}
        for node in ast.walk(statement):
            if isinstance(node, ast.JoinedStr):
                yield from ((title(statement), name) for name in drawn(node))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in texts:
                words = (word for word in node.value.split() if FAMILY.match(word))
                yield from (
                    (title(statement), word) for word in words if any(map(methodcaller("startswith", word), CALLS))
                )


def drawn(text: ast.JoinedStr) -> list[str]:
    """Return the calls that an f-string can be: ``f"cuGraph{change}Dependencies"`` is two."""
    parts = [str(part.value) if isinstance(part, ast.Constant) else "" for part in text.values]
    if not all(map(str.isidentifier, filter(None, parts))) or max(map(len, parts)) < SHORTEST:
        return []
    pattern = re.compile(r"\w+".join(re.split("\0+", "\0".join(parts))))
    return [name for name in CALLS if pattern.fullmatch(name)]


def title(statement: ast.stmt) -> str:
    """Return the name that a statement defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return statement.name
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return next((one.id for one in targets if isinstance(one, ast.Name)), f"line {statement.lineno}")


def faults(path: Path, where: str) -> dict[str, str]:
    """Return what is wrong with a module, by the statement that names calls."""
    found: dict[str, list[str]] = {}
    for name, call in named(path):
        found.setdefault(f"{where}:{name}", []).append(call)
    return {
        place: f"{place} names {', '.join(sorted(set(calls)))}: {PLACE}"
        for place, calls in found.items()
        if place not in NAMED
    }


def modules() -> Iterator[tuple[Path, str]]:
    """Yield each module that passes arguments, and its path in the checkout."""
    for pattern in READERS:
        for path in sorted(ROOT.glob(pattern)):
            yield path, path.relative_to(ROOT).as_posix()


def test_calls_are_named_in_the_table_alone() -> None:
    """No generator and no door has a list of calls with odd arguments."""
    found = [text for path, where in modules() for text in faults(path, where).values()]
    assert not found, "\n".join(found)


def test_every_exception_is_needed() -> None:
    """A statement of ``NAMED`` names calls."""
    assert {f"{where}:{name}" for path, where in modules() for name, _ in named(path)} >= NAMED.keys()


@pytest.mark.parametrize(
    "source",
    [
        'READ = {("cuMemPoolSetAttribute", "value"): "read_pool_attribute({pointer})"}',
        'BARE = frozenset({"cudaUserObjectCreate"})',
        'WORDS = {f"cuGraph{change}Dependencies": "unmeasured" for change in ("Add", "Remove")}',
        'CALLS = "cuLinkAddFile cuLinkAddData"',
        'WRITERS: dict[str, str] = {"hipExtStreamGetCUMask": "_put_numbers"}',
        'def points(name: str) -> bool:\n    return name.startswith("cuTensorMapEncode")',
    ],
)
def test_a_second_place_is_found(source: str, tmp_path: Path) -> None:
    """The text names the statement, the calls and the place for the fact."""
    path = tmp_path / "generator.py"
    path.write_text(source)
    (where, text), *rest = faults(path, "tools/codegen/generator.py").items()
    assert not rest
    assert where.startswith("tools/codegen/generator.py:")
    assert re.search(r"names (cu|hip)\w+.*: fakecuda/spec/<API>.overrides.toml is the place", text)


def test_forms_and_bindings_are_used_and_known() -> None:
    """Each has a row; what generators look up is a form or a type."""
    rows = [row for table in DATA["params"].values() for row in table.values()]
    assert {row["form"] for row in rows if "form" in row} == FORMS.keys()
    assert {row["binding"] for row in rows if "binding" in row} == BINDING.keys()
    types = {param.type for call in CALLS.values() for param in call.params}
    for how in (
        native_values.READ,
        native_values.WRITE,
        native_values.HIP_READ,
        native_values.HIP_WRITE,
        arguments.WORDS,
        surfaces.RESULTS,
    ):
        assert how.keys() <= FORMS.keys() | types
    for known in (tables.GIVEN, tables.RETURNED_AT):
        assert known.keys() <= FORMS.keys()
    assert not FORMS.keys() & types


def test_the_key_of_a_form() -> None:
    """It is the row's, else the length or the count; a union's attribute stands before it."""
    keys = {
        ("cuMemPoolGetAttribute", "value"): "attr",
        ("cuDeviceGetName", "name"): "len",
        ("cuTensorMapEncodeTiled", "boxDim"): "tensorRank",
        ("cuStreamSetAttribute", "value"): "attr",
        ("cuStreamBatchMemOp", "paramArray"): "count",
        ("cuMemAlloc", "dptr"): "",
    }
    for (name, label), key in keys.items():
        call = CALLS[name]
        assert key_of(call, next(param for param in call.params if param.name == label)) == key
    assert convention("cuMemAlloc", "dptr") == Convention()


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("value = { forms = 'ints' }", "value: key 'forms' is unknown: use one of array, "),
        ("value = { form = 'words' }", "value: form 'words' is unknown: use one of address, "),
        ("value = { binding = 'odd' }", "value: binding 'odd' is unknown: use one of bare, "),
        ("value = { key = 'attribute' }", "value: key 'attribute' is unknown: use one of pool, attr, value"),
        ("values = { form = 'ints' }", "values: parameter 'values' is unknown: use one of pool, attr, value"),
    ],
)
def test_a_wrong_row_is_refused(row: str, wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text has the file, the call, the value, and what is allowed."""
    (tmp_path / "driver.overrides.toml").write_text(f"[cuMemPoolSetAttribute]\n{row}\n")
    monkeypatch.setattr(convention_rows, "HERE", tmp_path)
    with pytest.raises(
        convention_rows.WrongRow, match=re.escape(f"driver.overrides.toml, [cuMemPoolSetAttribute] {wrong}")
    ):
        convention_rows.rows("driver")
