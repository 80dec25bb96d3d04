"""Known differences between the model and a driver, from ``divergences.toml``.

Each ``[[divergence]]`` has a ``rule`` (an id), a ``grade`` of rules or a ``call``, its ``kind`` (``code`` or
``value``), the ``driver`` versions (``">=13000,<13100"``), what the ``driver_code`` and the ``model_code`` are (names
without CUDA_ERROR_, or ``crash``, ``hang``, ``waits`` and ``any``), the ``reason``, and the date when it was last ``validated``. What was answered once
and does not come back names its ``program``. An entry that matches no recorded answer fails the run.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from conformance import DATA
from conformance.kit.under_way import WAITS
from fakecuda.spec.codes import CRASH, HANG, Error, Result

if TYPE_CHECKING:
    from pathlib import Path

    from conformance.kit.compare import Difference
    from fakecuda.rules.core import Rule

FILE = DATA / "divergences.toml"
BOUND = re.compile(r"(>=|<=|==|<|>)(\d+)")
SUBJECTS = {"rule", "grade", "call"}
OPTIONAL = {*SUBJECTS, "out", "program"}
REQUIRED = {"kind", "driver", "driver_code", "model_code", "reason", "validated"}


class DivergenceError(Exception):
    """``divergences.toml`` is malformed; the text is one line with entry and fix."""


@frozen
class Divergence:
    """A known difference.

    Attributes:
        rule: The id of the rule that the model says was broken, or empty.
        grade: The grade of such rules, or empty.
        call: The call, or empty.
        kind: ``code`` or ``value``.
        driver: Bounds of driver versions as (comparison, version).
        driver_code: What the driver answers, or None for whatever it answers.
        model_code: What the model answers, likewise.
        reason: Why they differ.
        validated: When that was last seen.
        out: The result that differs, for a ``value``.
        program: The only programs in which they do, a shell pattern, or empty.
    """

    rule: str
    grade: str
    call: str
    kind: str
    driver: tuple[tuple[str, int], ...]
    driver_code: int | None
    model_code: int | None
    reason: str
    validated: dt.date
    out: str = field(default="")
    program: str = field(default="")

    def covers(self, difference: Difference, rule: Rule | None, driver: int, program: str = "") -> bool:
        """Return whether this entry describes a difference.

        Args:
            difference: The difference; what was expected is the driver's answer.
            rule: The rule that the model says was broken, or None.
            driver: The driver's version.
            program: The name of the program that differs.
        """
        expected, got = (difference.expected, difference.got) if difference.kind == "code" else (0, 0)
        return (
            difference.kind == self.kind
            and (not self.rule or (rule is not None and self.rule == rule.id))
            and (not self.grade or (rule is not None and self.grade == rule.grade))
            and (not self.call or self.call == difference.call)
            and self.out in {"", difference.out}
            and fnmatchcase(program, self.program or "*")
            and self.driver_code in {None, expected}
            and self.model_code in {None, got}
            and self.applies(driver)
        )

    def applies(self, driver: int) -> bool:
        """Return whether the entry applies to a driver version."""
        compared = {
            ">=": driver.__ge__,
            "<=": driver.__le__,
            "==": driver.__eq__,
            "<": driver.__lt__,
            ">": driver.__gt__,
        }
        return all(compared[sign](version) for sign, version in self.driver)


def load(path: Path = FILE) -> tuple[Divergence, ...]:
    """Return the known differences; none if there is no file.

    Raises:
        DivergenceError: The file is malformed.
    """
    if not path.exists():
        return ()
    try:
        data = tomllib.loads(path.read_text())
    except tomllib.TOMLDecodeError as error:
        msg = f"{path.name}: {error}"
        raise DivergenceError(msg) from error
    if set(data) - {"divergence"}:
        msg = f"{path.name}: {', '.join(sorted(set(data) - {'divergence'}))}: only [[divergence]] is known"
        raise DivergenceError(msg)
    return tuple(_entry(path, number, entry) for number, entry in enumerate(data.get("divergence", []), 1))


def _entry(path: Path, number: int, entry: dict[str, Any]) -> Divergence:
    where = f"{path.name}, entry {number}"
    missing, unknown = REQUIRED - set(entry), set(entry) - REQUIRED - OPTIONAL
    if missing or unknown or not SUBJECTS & set(entry):
        parts = [f"lacks {', '.join(sorted(missing))}"] if missing else []
        parts += [f"has unknown {', '.join(sorted(unknown))}"] if unknown else []
        parts += [] if SUBJECTS & set(entry) else ["names neither rule, grade nor call"]
        msg = f"{where}: {'; '.join(parts)}"
        raise DivergenceError(msg)
    if entry["kind"] not in {"code", "value"}:
        msg = f"{where}: kind is {entry['kind']!r}, not code or value"
        raise DivergenceError(msg)
    bounds = tuple((sign, int(version)) for sign, version in BOUND.findall(entry["driver"]))
    if ",".join(f"{sign}{version}" for sign, version in bounds) != entry["driver"].replace(" ", "") or not bounds:
        msg = f"{where}: driver is {entry['driver']!r}, not bounds like '>=13000,<13100'"
        raise DivergenceError(msg)
    if not isinstance(entry["validated"], dt.date) or not entry["reason"].strip():
        msg = f"{where}: validated is a date (2026-01-31) and reason says why"
        raise DivergenceError(msg)
    return Divergence(
        rule=entry.get("rule", ""),
        grade=entry.get("grade", ""),
        call=entry.get("call", ""),
        kind=entry["kind"],
        driver=bounds,
        driver_code=_code(where, entry["driver_code"]),
        model_code=_code(where, entry["model_code"]),
        reason=entry["reason"],
        validated=entry["validated"],
        out=entry.get("out", ""),
        program=entry.get("program", ""),
    )


def _code(where: str, name: str) -> int | None:
    special = {"crash": CRASH, "hang": HANG, "waits": WAITS, "any": None}
    if name in special:
        return special[name]
    if name in Error.__members__:
        return int(Error[name])
    if name not in Result.__members__:
        msg = f"{where}: {name!r} is not a code: use a name like INVALID_VALUE, crash, hang, waits or any"
        raise DivergenceError(msg)
    return int(Result[name])
