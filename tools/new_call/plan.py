"""The plan for a new call: where its files go, and what its manual says."""

from __future__ import annotations

import difflib
import importlib
import re
import textwrap
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

import fakecuda
from conformance import SUITE
from fakecuda.explain.evidence import path_of
from fakecuda.explain.ledger import documented
from fakecuda.explain.ledger.sentences import plain
from fakecuda.rules.core import RULES
from fakecuda.rules.registry import APIS, DRIVER, NVML, api_of
from tools.chapters import FILE, chapter_of
from tools.codegen import nvml_manual

if TYPE_CHECKING:
    from fakecuda.rules.registry import Api
    from fakecuda.spec.codes import Code
    from fakecuda.spec.description import Function

HOME = Path(fakecuda.__file__).parent / "rules"
"""The folder of the rules, with a folder for each API."""
CASES = SUITE / "cases"
CHAPTERS_FILE = f"tools/{FILE.name}"
BINDINGS = {"driver": "cuda.bindings.driver", "runtime": "cuda.bindings.runtime", "hip": "rocm.bindings.hip"}
MANUALS = {
    "driver": "https://docs.nvidia.com/cuda/cuda-driver-api/",
    "runtime": "https://docs.nvidia.com/cuda/cuda-runtime-api/",
    "hip": "https://rocm.docs.amd.com/projects/HIP/en/latest/reference/hip_runtime_api_reference.html",
    "nvml": "https://docs.nvidia.com/deploy/nvml-api/",
}
SHARED = frozenset(
    {
        *("DEINITIALIZED", "NOT_INITIALIZED", "NOT_PERMITTED"),
        *("INVALID_CONTEXT", "CONTEXT_IS_DESTROYED", "LAUNCH_FAILED"),
        "UNINITIALIZED",
    }
)
"""Codes of the guards that every call begins with."""


class Refused(Exception):  # noqa: N818 - a refusal, not an error of the program
    """The call cannot be started; the text says why, and what to do."""


@frozen
class Plan:
    """The plan for a new call.

    Attributes:
        api: Its API.
        call: Its description.
        name: The name of its module and function: ``mem_alloc`` for ``cuMemAlloc``.
        chapter: The folder of its module, below its API's folder; empty for a module directly in that.
        link: The URL of its manual.
        summary: What it does, in the manual's words, as one line.
        codes: The codes that the manual names for it, without those of every call of the API.
        quotes: The manual's sentences about its codes.
        in_context: Whether the manual names the code of a call without a context.
    """

    api: Api
    call: Function
    name: str
    chapter: str
    link: str
    summary: str
    codes: tuple[Code, ...]
    quotes: dict[Code, str]
    in_context: bool

    @property
    def operation(self) -> Path:
        """The module of its rules and its operation."""
        return HOME / self.api.name / self.chapter / f"{self.name}.py"

    @property
    def evidence(self) -> Path:
        """The file of evidence of its chapter."""
        chapter = self.chapter or self.name
        return path_of(chapter if self.api is DRIVER else f"{self.api.name}.{chapter}")

    @property
    def cases(self) -> Path:
        """The module of its cases: at the same path."""
        return CASES / self.api.name / self.chapter / f"test_{self.name}.py"


def plan(name: str, chapter: str = "") -> Plan:
    """Return the plan for a call.

    Args:
        name: The call.
        chapter: The folder of its rules; by default its chapter in the table of chapters.

    Raises:
        Refused: The call is unknown or modelled, or its chapter is unknown or wrong.
    """
    api = api_of(name)
    if name not in api.calls:
        near = difflib.get_close_matches(name, [call for each in APIS.values() for call in each.calls], n=5)
        msg = f"no API has a call {name}; did you mean: {', '.join(near) or 'none'}"
        raise Refused(msg)
    if name in api.ops:
        module = api.ops[name].module
        msg = f"{name} is modelled: {module.replace('.', '/')}.py; python -m fakecuda rules {name} lists its rules"
        raise Refused(msg)
    home = _chapter(api, name, chapter)
    codes = tuple(code for call, code in documented(api) if call == name)
    text = _manual(api, name)
    plan = Plan(
        api=api,
        call=api.calls[name],
        name=snake(name.removeprefix(api.prefix)),
        chapter=home,
        link=_link(api, name, home),
        summary=_summary(name, text),
        codes=tuple(code for code in codes if code.name not in SHARED),
        quotes={code: _quote(text, api.cname(int(api.code(code)))) for code in codes},
        in_context=any(code.name == "INVALID_CONTEXT" for code in codes),
    )
    for path in (plan.operation, plan.cases):
        if path.exists():
            msg = f"{path.relative_to(HOME.parents[1])} exists: move it away, or run python -m tools.codegen to take it over"
            raise Refused(msg)
    return plan


@cache
def snake(name: str) -> str:
    """Return a CamelCase name as a module's name.

    For ``MemcpyDtoHAsync``, this is ``memcpy_dtoh_async``.
    """
    joined = re.sub(r"[DH]to[DHA]|Ato[ADH]", lambda found: found[0].capitalize(), name)
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", joined).lower()


def _chapter(api: Api, name: str, wanted: str) -> str:
    """Return the folder of a call, below its API's folder."""
    folders = sorted(path.parent.name for path in (HOME / api.name).glob("*/__init__.py"))
    placed = chapter_of(name) if api is DRIVER else ""
    if wanted and api is NVML:
        msg = f"NVML has no chapters: leave out --chapter {wanted}; {name} gets its own module"
        raise Refused(msg)
    if wanted:
        if not re.fullmatch(r"[a-z]\w*", wanted):
            msg = f"a chapter has the name of a folder below {HOME.name}/{api.name}: {wanted!r} cannot be one"
            raise Refused(msg)
        if (HOME / api.name / f"{wanted}.py").exists():
            msg = (
                f"{wanted} is a module of {api.title}, not a chapter: leave out --chapter; the call gets its own module"
            )
            raise Refused(msg)
        if placed and placed != wanted:
            msg = f"{name} belongs to the chapter {placed}, not {wanted}: leave out --chapter, or change {CHAPTERS_FILE} first"
            raise Refused(msg)
        return wanted
    if placed or not folders:
        return placed
    found = sorted({_place(api, call)[0] for call in _neighbours(api, name)})
    if len(found) == 1:
        return found[0]
    several = f"its neighbours belong to {' and '.join(found)}" if found else "no modelled call begins like it"
    msg = f"no chapter in {CHAPTERS_FILE} has {name}, and {several}: write --chapter with one of {', '.join(folders)}, or a new one"
    raise Refused(msg)


def _neighbours(api: Api, name: str) -> list[str]:
    """Return the modelled calls with names similar to a call's name.

    They share the most first words with it.
    """
    words = snake(name).split("_")

    def shared(call: str) -> int:
        others = snake(call).split("_")
        return next((n for n, (one, other) in enumerate(zip(words, others, strict=False)) if one != other), len(others))

    common = {call: shared(call) for call in api.ops}
    most = max(common.values())
    return [call for call, count in common.items() if count == most > 1]  # the first word is the prefix


def _place(api: Api, call: str) -> list[str]:
    """Return a modelled call's module below its API's folder.

    The result has the chapter, unless the module has none.
    """
    return api.ops[call].module.removeprefix(f"{RULES}{api.name}.").split(".")


def _link(api: Api, name: str, chapter: str) -> str:
    """Return the manual's page from the cases of neighbouring calls.

    Otherwise, return the manual.
    """
    for call in _neighbours(api, name):
        *folder, module = _place(api, call)
        path = CASES.joinpath(api.name, *folder, f"test_{module}.py")
        found = re.search(r"https://\S+", path.read_text()) if path.exists() else None
        if found and (not chapter or folder == [chapter]):
            return found[0]
    return MANUALS[api.name]


def _manual(api: Api, name: str) -> str:
    """Return a call's docstring in the binding, or its comment in NVML's header.

    The result is empty if not available.
    """
    if api is NVML:
        return _comment(name)
    try:
        binding = importlib.import_module(BINDINGS[api.name])
    except ImportError:
        return ""
    return getattr(binding, name).__doc__ or ""


def _comment(name: str) -> str:
    """Return the comment of a call in NVML's header, as paragraphs after a first line.

    The result is empty without the header.
    """
    try:
        comment = nvml_manual.texts().get(name, "")
    except ImportError:
        return ""
    text = re.sub(r"^\s*\* ?", "", comment, flags=re.MULTILINE)
    paragraphs = re.split(r"\n\s*\n|@\w+|\n\s*- ", re.sub(r"\\(?:ref|a|p)\s+", "", text))
    return f"{name}\n\n " + "\n\n ".join(" ".join(one.split()) for one in paragraphs if one.strip())


def _summary(name: str, text: str) -> str:
    """Return the first sentence after the signature of a docstring."""
    blocks = [plain(block) for block in text.split("\n\n")[1:2]]
    said = (re.split(r"(?<=\.) ", blocks[0])[0] if blocks else "").rstrip(".") or f"what {name} does"
    return textwrap.shorten(said, 100, placeholder=" …") + "."


def _quote(text: str, cname: str) -> str:
    """Return the first sentence of a docstring that names a code.

    Otherwise, return the code's name.
    """
    body = re.split(r"\n(?:Parameters\n---|See:|Args:|Returns)", text)[0].partition("\n")[2]
    blocks = re.split(r"\n\s*\n", body)
    sentences = [one for block in blocks for one in re.split(r"(?<=\.) ", plain(block))]
    return next((one.rstrip(".") for one in sentences if re.search(rf"\b{cname}\b", one)), cname)
