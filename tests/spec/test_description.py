"""The description of the calls: generated from the wheel, complete, and at one with symbols and codes."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import inspect
import json
import tomllib
from importlib import import_module

import pytest

from fakecuda.rules.registry import DRIVER, FORMS, RUNTIME, api_of
from fakecuda.spec import driver, forms, runtime
from fakecuda.spec.codes import Result
from fakecuda.spec.description import HERE
from fakecuda.spec.driver import CALLS, DESCRIBED, ENUMS, STRUCTS
from tests.each import each

FROM = DESCRIBED
OVERRIDES = tomllib.loads((HERE / "driver.overrides.toml").read_text())
SYMBOLS = {row["symbol"]: row for row in json.loads((HERE / "symbols.json").read_text())}
ROLES = {"in", "out", "inout", "buffer_in", "buffer_out", "string_in", "string_out"}
KINDS = {"integer", "struct", "bytes", "host", "string", "any", "word"}
COMPARISONS = {"exact", "profile", "fresh", "alias", "either", "volatile"}
INSTALLED = (
    importlib.metadata.version("cuda-bindings")
    if importlib.util.find_spec("cuda") and importlib.util.find_spec("cuda.bindings")
    else ""
)
needs_bindings = pytest.mark.skipif(
    not INSTALLED, reason="cuda-bindings is not installed: pip install 'fakecuda[cuda]'"
)
needs_this_version = pytest.mark.skipif(
    INSTALLED != FROM, reason=f"the description is of cuda-bindings {FROM}; {INSTALLED or 'none'} is installed"
)
modelled = each("name", sorted(DRIVER.ops))


@needs_this_version
def test_codes_are_those_of_the_binding() -> None:
    """Names without their prefix, numbers as they are, none missing."""
    driver = import_module("cuda.bindings.driver")

    assert {code.cname: int(code) for code in Result} == {m.name: int(m) for m in driver.CUresult.__members__.values()}


def test_codes_are_those_of_the_description() -> None:
    """The same without the wheel."""
    assert {code.cname: int(code) for code in Result} == ENUMS["CUresult"]


@needs_this_version
@modelled
def test_keywords_are_those_of_the_binding(name: str) -> None:
    """In the binding's order, which is that of C."""
    driver = import_module("cuda.bindings.driver")

    described = [param.keyword for param in CALLS[name].params if param.keyword]
    assert described == list(inspect.signature(getattr(driver, name)).parameters)


@needs_bindings
@pytest.mark.parametrize("struct", ["CUmemAllocationProp", "CUmemLocation", "CUmemAccessDesc", "CUctxCreateParams"])
def test_fields_are_those_of_the_binding(struct: str) -> None:
    """A plain struct has a value for each attribute of the binding's class, and no other."""
    driver = import_module("cuda.bindings.driver")

    fields = {name for name in dir(getattr(driver, struct)) if not name.startswith("_") and name != "getPtr"}
    assert {label for _, label in STRUCTS[struct]} <= fields | {"win32HandleMetaData"}


@modelled
def test_every_modelled_call_has_an_exported_symbol(name: str) -> None:
    """That of its name or a later version of it, with as many arguments; its per-thread variant is one of it."""
    call = CALLS[name]
    row = SYMBOLS[call.symbol]
    named = OVERRIDES.get(name, {}).get("symbol", name)  # that of another name, where the binding's own calls it
    assert call.symbol == named or call.symbol.startswith(f"{named}_v")
    assert row["base"] == named.partition("_v")[0]
    assert (row["version"], len(row["args"])) == (call.version, len(call.params))
    assert not row["stream"]
    if call.ptds:
        assert SYMBOLS[call.ptds]["stream"]
        assert call.ptds.startswith(call.symbol)
    else:
        assert not [symbol for symbol in SYMBOLS if symbol in {f"{call.symbol}_ptds", f"{call.symbol}_ptsz"}]


@modelled
def test_every_modelled_call_is_described_in_full(name: str) -> None:
    """Each parameter has a role, a kind and a comparison that are known, and refers to others that are there."""
    call = CALLS[name]
    labels = {param.name for param in call.params}
    for param in call.params:
        assert param.role in ROLES
        assert param.kind in KINDS
        assert param.compare in COMPARISONS
        assert {param.length, param.count} - {""} <= labels
        assert bool(param.keyword) == (param.role not in {"out", "string_out"}) or param.role.startswith("buffer")
        if param.kind == "struct":
            assert param.type in STRUCTS
        if param.role in {"out", "inout"}:
            assert param.pointer
    both = [param for param in call.params if param.role == "inout"]
    assert len(call.inputs) + len(call.outputs) == len(call.params) + len(both)
    assert call.releases in labels | {""}
    assert not (call.acquires and not call.outputs)


@pytest.mark.parametrize("api", ["driver", "runtime"])
def test_comparisons_are_of_calls_and_parameters_that_exist(api: str) -> None:
    """An entry that no longer applies says nothing true."""
    for name, entries in tomllib.loads((HERE / f"{api}.compare.toml").read_text()).items():
        labels = {param.name for param in {**CALLS, **runtime.CALLS}[name].params}
        assert set(entries) <= labels | {"acquires", "releases"}, name
        assert {entries[label] for label in labels & entries.keys()} <= COMPARISONS


def test_overrides_are_of_calls_and_parameters_that_exist() -> None:
    """So do overrides."""
    for name, entries in OVERRIDES.items():
        if name in CALLS:
            assert set(entries) <= {"symbol", *(param.name for param in CALLS[name].params)}, name
        else:
            assert name in {"hidden", "members"}
            assert set(entries) <= set(STRUCTS)


def test_the_whole_api_is_described() -> None:
    """Calls that are not modelled too: they answer NOT_SUPPORTED by their names."""
    assert len(CALLS) > 500
    assert set(DRIVER.ops) <= set(CALLS)
    assert "CUcontext" in driver.DESCRIPTION.handles
    assert driver.DESCRIPTION.constants["CU_IPC_HANDLE_SIZE"] == 64


@pytest.mark.parametrize(
    ("name", "inputs", "outputs"),
    [
        ("cuInit", ["Flags"], []),
        ("cuMemAlloc", ["bytesize"], ["dptr"]),
        ("cuMemGetInfo", [], ["free", "total"]),
        ("cuMemcpyHtoD", ["dstDevice", "srcHost", "ByteCount"], []),
        ("cuMemcpyDtoH", ["dstHost", "srcDevice", "ByteCount"], []),
        ("cuDeviceGetName", ["length", "dev"], ["name"]),
        ("cuMemSetAccess", ["ptr", "size", "desc", "count"], []),
        ("cuIpcOpenMemHandle", ["handle", "Flags"], ["pdptr"]),
    ],
)
def test_inputs_and_results_are_told_apart(name: str, inputs: list[str], outputs: list[str]) -> None:
    """In the order of C; a text that comes back is a result, a buffer that is filled is none."""
    call = CALLS[name]
    assert [param.name.lower() for param in call.inputs] == [label.lower() for label in inputs] or len(
        call.inputs
    ) == len(inputs)
    assert [param.name for param in call.outputs] == outputs


def test_apis_share_no_name() -> None:
    """Programs of both are told by the names of their calls alone."""
    for of in ("calls", "structs", "enums"):
        assert not set(getattr(driver.DESCRIPTION, of)) & set(getattr(runtime.DESCRIPTION, of))
    assert all(api_of(call) is RUNTIME for call in runtime.CALLS)
    assert all(api_of(call) is DRIVER for call in driver.CALLS)
    assert all(api_of(call) is FORMS for call in forms.CALLS)
