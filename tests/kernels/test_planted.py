"""Drawn kernels find mistakes that are planted in the modules that lower instructions."""

from __future__ import annotations

import importlib
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda.kernels.compiled import body, ends, engine, logic, specials
from fakecuda.kernels.row import Meaning
from tests.rotation import part

from . import drawn_straight
from .children import wrong
from .drawn import Drawn, lowered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytest.importorskip("llvmlite", reason="llvmlite: pip install -e '.[kernels]'")
TABLES: dict[str, dict[str, Any]] = {
    "OPS": body.OPS,
    "ENDS": ends.ENDS,
    "READERS": specials.READERS,
    "MEANINGS": logic.MEANINGS,
}
PLANTED = [
    ("st.global", "access._global", ", 2", ", 3"),
    ("approx", "approximate.value", "shl i64", "lshr i64"),
    ("mbarrier.test_wait", "asynchronous.settled", "xor i64", "or i64"),
    ("cp.async.wait_group 1", "asynchronous.wait", "i64 3", "i64 2"),
    ("bar.red.popc", "barriers.barriers", "add i", "sub i"),
    ("bmsk", "bits.low", "shl i64 1", "lshr i64 1"),
    ("cp.async.bulk", "bulk._host", "add i64", "sub i64"),
    ("call", "calls.copy", "i64 4", "i64 2"),
    ("vprintf, (", "calls.ask", "i64 1\n", "i64 2\n"),
    ("mapa", "clusters.reached", "lshr i64", "shl i64"),
    ("cvt.sat", "conversions._clamped", "icmp slt", "icmp sgt"),
    ("brx", "ENDS.brx", "i32 0, label", "i32 3, label"),
    ("min.f32", "floats.extreme", "fcmp olt", "fcmp ogt"),
    (".ftz", "formats.flushed", "icmp eq", "icmp ne"),
    ("div.s", "integers._divided", "sdiv", "udiv"),
    ("shr.s", "MEANINGS.shr", "ashr", "lshr"),
    ("movmatrix", "matrices._own", ", 2", ", 3"),
    ("redux.sync.add", "meetings.settlements", "add i32", "sub i32"),
    ("mma.sync.aligned", "products.function", "add i", "sub i"),
    ("fma.r", "rounding.total", "fadd", "fsub"),
    ("laneid", "READERS.%laneid", "urem", "udiv"),
    ("tex.2d", "texels.functions", "sub i64", "add i64"),
    ("cp.async.mbarrier", "tracking.functions", "add i64", "sub i64"),
    ("vote", "waits.given", "i64 ", "i64 1"),
    ("wgmma", "wgmma.function", "add i", "sub i"),
    ("wmma.load", "ENDS.wmma", "add i64", "sub i64"),
    ("nanosleep", "thread.text", "%used = sub i32", "%used = add i32"),
    ("bra", "body.Body.go", "icmp sgt", "icmp slt"),
    (".s8 %", "values.Values.put", "sext", "zext"),
    ("st.shared", "stamps.functions", "icmp eq", "icmp ne"),
]
"""What a kernel must contain, the function or the entry of a table that writes the code, and the mistake."""


def broken(function: Callable[..., Any], old: str, new: str) -> Callable[..., Any]:
    """Return a writer of code with a mistake: in the text that it returns, or in the lines that it adds."""

    def writes(*given: Any, **named: Any) -> Any:
        lines: list[str] = next(
            (one.text for one in (getattr(one, "o", one) for one in given) if hasattr(one, "do")), []
        )
        start, made = len(lines), function(*given, **named)
        lines[start:] = [f"{one}\n".replace(old, new)[:-1] for one in lines[start:]]
        if isinstance(made, Meaning):
            return attrs.evolve(made, function=broken(made.function, old, new))
        if isinstance(made, tuple) and isinstance(made[0], str) and "\n" in made[0]:
            return made[0].replace(old, new), *made[1:]
        return made.replace(old, new) if isinstance(made, str) and "\n" in made else made

    return writes


def seeds(word: str) -> Iterator[int]:
    """Yield the seeds of kernels that contain a word."""
    return (seed for seed in range(4000) if word in Drawn(seed, faults=bool(seed % 2)).text)


def plant(monkeypatch: pytest.MonkeyPatch, place: str, old: str, new: str) -> None:
    """Break a function, a method or the entry of a table."""
    engine.native.cache_clear()
    owner, name = place.rsplit(".", 1)
    if owner in TABLES:
        monkeypatch.setitem(TABLES[owner], name, broken(TABLES[owner][name], old, new))
        return
    module, _, class_ = owner.partition(".")
    found: Any = importlib.import_module(f"fakecuda.kernels.compiled.{module}")
    found = getattr(found, class_) if class_ else found
    monkeypatch.setattr(found, name, broken(getattr(found, name), old, new))


@pytest.mark.parametrize(("word", "place", "old", "new"), part(PLANTED, 14))
def test_a_mistake_in_the_lowering(word: str, place: str, old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some drawn kernel leaves other results, or ends its process."""
    plant(monkeypatch, place, old, new)
    assert next(wrong(islice(seeds(word), 25), lowered), "")


def test_a_mistake_in_vector_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn kernels of even threads find it."""
    plant(monkeypatch, "straight._marked", ", 2", ", 3")
    assert next(wrong(range(60), drawn_straight.compared), "")
