"""Comparison of machines: recordings and answers of each, and their differences."""

from __future__ import annotations

from collections import Counter
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from conformance.pages.programs import code_name
from fakecuda.explain.html.markup import Html, joined, table, tag
from fakecuda.profiles import load as load_profile
from fakecuda.profiles import names as profile_names
from fakecuda.rules.registry import EVERY_API, api_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.pages.answers import Answers, Comparison, Machine
    from conformance.pages.shape import Site

HIPS = 1_000_000
"""The smallest version number of HIP; smaller ones are CUDA's."""
MOST = 40
"""The maximum number of characters of a result to show."""


def page(answers: Answers, site: Site) -> str:
    """Return the page of the machines."""
    compared = answers.compared()
    names = sorted(answers.machines)
    rows = [_machine(name, answers.machines[name]) for name in names]
    search = tag("input", type="search", id="search", placeholder="a call", aria_label="a call", autocomplete="off")
    body = [
        tag("h1", "Machines side by side"),
        table(
            ["recordings", "cards", "driver", "bindings", "recorded", "programs", "answers", "calls"],
            rows,
            class_="counts",
        ),
        *(tag("p", f"Left out, for it cannot be read: {one}", class_="warning") for one in answers.damaged),
        tag("h2", "Where they differ"),
        *_differences(compared, site),
        tag("h2", "What each answered"),
        tag("p", "Codes by how often they came. An empty cell: the machine was not asked.", class_="beside"),
        search,
        _answers(answers, names, site),
    ]
    return site.page("machines.html", "Machines", body)


def version_of(driver: int) -> str:
    """Return a version in its vendor's notation: ``CUDA 13.0`` for 13000."""
    if driver < HIPS:
        return f"CUDA {driver // 1000}.{driver % 1000 // 10}"
    return f"HIP {driver // 10_000_000}.{driver // 100_000 % 100}"


def _machine(name: str, machine: Machine) -> list[object]:
    """Return the description of a machine's recordings."""
    headers = machine.headers
    days = sorted({header.date[:10] for header in headers if header.date})
    span = days[0] + (f" to {days[-1]}" if len(days) > 1 else "") if days else ""
    versions = sorted({version_of(header.driver) for header in headers})
    profile = next((header.profile for header in headers), name)
    cards = load_profile(profile).devices if profile in profile_names() else ()
    told = f"{len(cards)} of {cards[0].name}" if cards else ""
    bindings = ", ".join(sorted({header.bindings for header in headers}))
    counts = [f"{number:,}" for number in (machine.programs, machine.answers, len(machine.codes))]
    return [name, told, ", ".join(versions), bindings, span, *counts]


def _differences(compared: Comparison, site: Site) -> Iterator[Html]:
    """Yield agreements and differences of machines that ran the same programs."""
    rows = [
        [", ".join(machines), f"{number:,}", f"{compared.answers[machines]:,}"]
        for machines, number in compared.programs.most_common()
    ]
    yield table(["asked the same", "programs", "answers compared"], rows)
    if compared.codes:
        yield tag("h3", f"Codes that differ: {len(compared.codes)}")
        yield table(
            ["call", "program", "answers"],
            [[site.call(call), name, _each(call, codes)] for name, call, codes in compared.codes],
        )
    else:
        yield tag("p", "No code differs.")
    if compared.values:
        yield tag("h3", f"Results that differ where codes agree: {len(compared.values)} of calls")
        told = "Structs of NVML are bytes. Addresses and handles are compared by what is the same within a program, and left out here."
        yield tag("p", told, class_="beside")
        values = [
            [site.call(call), out, str(count), _values(first)]
            for (call, out), (count, first) in sorted(compared.values.items())
        ]
        yield table(["call", "result", "times", "for one"], values, class_="stacked")


def _each(call: str, codes: dict[str, int]) -> Html:
    return joined([f"{machine}: {code_name(call, code)}" for machine, code in codes.items()], tag("br"))


def _values(values: dict[str, Any]) -> Html:
    """Return the differing ends of results, one line for each machine."""
    texts = {
        machine: " ".join(map(str, value)) if isinstance(value, list) else str(value)
        for machine, value in values.items()
    }
    same = sum(1 for _ in takewhile(lambda letters: len(set(letters)) == 1, zip(*texts.values(), strict=False)))
    start = 0 if max(map(len, texts.values())) <= MOST else same - same % 2
    lines = []
    for machine, text in texts.items():
        told = f"{'…' if start else ''}{text[start : start + MOST]}{'…' if len(text) > start + MOST else ''}"
        lines.append(joined([f"{machine}: ", tag("code", told)]))
    return joined(lines, tag("br"))


def _answers(answers: Answers, names: list[str], site: Site) -> Html:
    """Return the codes that each machine answered, by call."""
    order = {call: number for number, call in enumerate(call for api in EVERY_API.values() for call in api.calls)}
    calls = sorted(
        {call for one in answers.machines.values() for call in one.codes}, key=lambda call: order.get(call, 0)
    )
    rows = []
    for call in calls:
        if call not in order:
            continue
        cells = [answers.machines[name].codes.get(call, Counter()) for name in names]
        told = [", ".join(code_name(call, code) for code, _ in cell.most_common()) for cell in cells]
        first = tag("th", site.call(call) if call in api_of(call).ops else tag("code", call), scope="row")
        rows.append(tag("tr", first, *(tag("td", one) for one in told), data_call=call.lower()))
    head = tag("tr", *(tag("th", one, scope="col") for one in ["call", *names]))
    inner = tag("table", tag("thead", head), tag("tbody", *rows), class_="by-machine")
    return tag("div", inner, class_="wide", tabindex="0", role="region", aria_label="answers by machine")
