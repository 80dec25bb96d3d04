"""The skeletons of a new call.

They are its operation and its cases, with marks where something is to be written.
The conditions of the checks are unknown here. So each check is ``if call is None`` below the manual's words, and raises its
rule. The effect raises NotImplementedError. Each case breaks its rule with the first argument.
"""

from __future__ import annotations

import builtins
import keyword
import re
from typing import TYPE_CHECKING

from fakecuda.rules.registry import DRIVER, HIP, NVML, RUNTIME
from fakecuda.spec.sizes import BYTES
from tools.new_call.plan import snake

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.spec.codes import Code
    from fakecuda.spec.description import Param
    from tools.new_call.plan import Plan

TAKEN = {"call", *dir(builtins), *keyword.kwlist}
NULLS = """    if call.nulls:
        raise {}.broken(nulls=call.nulls)"""
NULL = {"driver": "RESULT_IS_GIVEN", "runtime": "RESULTS_ARE_GIVEN"}
"""The rule of null result pointers; sweeps ask for that of HIP and of NVML."""
KINDS = {"host": "int", "bytes": "bytes", "string": "bytes | None", "any": "int | bytes", "word": "int | None"}


def constant(code: Code) -> str:
    """Return the preliminary name of a code's rule."""
    return f"NOT_{code.name}".replace("NOT_NOT_", "")


def operation(plan: Plan) -> str:
    """Return the module of a call's rules and its operation."""
    names = _names(plan)
    given = "".join(f"{sep}{name}" for name, sep in zip(names, [""] + [", "] * len(names), strict=False))
    facts = ", ".join(f"{name}={name}" for name in names)
    signature = ", ".join(["call: Call", *(f"{n}: {_kind(p)}" for n, p in zip(names, plan.call.inputs, strict=True))])
    source = "source" if plan.api is HIP else "manual"
    classes = sorted({type(code).__name__ for code in plan.codes})
    guards = list(_guards(plan))
    kinds = f"{signature} {_result(plan)}"
    lines = [
        *_head(plan),
        *([f"from fakecuda.spec.codes import {', '.join(classes)}"] if classes else []),
        *([f"from fakecuda.rules.core import Rule, {source}"] if classes else []),
        f"from fakecuda.rules.registry import {plan.api.name.upper()}",
        *sorted(f"from {module} import {guard}" for module, guard in guards),
        "",
        "if TYPE_CHECKING:",
        *(["    from typing import Any", ""] if "Any" in kinds else []),
        "    from fakecuda.model.call import Call",
        "",
    ]
    for code in plan.codes:
        lines += [
            f"{constant(code)} = Rule(",
            f'    "to be written: what must hold, or the call answers {plan.api.cname(int(plan.api.code(code)))}",',
            f"    {type(code).__name__}.{code.name},",
            f"    {source}({plan.call.name!r}, {plan.quotes[code]!r}),",
            '    fix="to be written: what to change in code that breaks the rule",',
            ")",
        ]
    lines += [
        "",
        "",
        f'@{plan.api.name.upper()}.op("{plan.call.name}")',
        f"def {plan.name}({signature}) -> {_result(plan)}:",
        f'    """{plan.summary}',
        "",
        "    Args:",
        "        call: The call.",
        *(
            f"        {n}: {p.type}{' *' * p.pointer}, the manual's {p.name}."
            for n, p in zip(names, plan.call.inputs, strict=True)
        ),
        '    """',
        "    # CHECK",
        *(f"    {guard}(call)" if guard.islower() else NULLS.format(guard) for _, guard in guards),
    ]
    for code in plan.codes:
        lines += [
            f"    if call is None:  # to be written: when it answers {plan.api.cname(int(plan.api.code(code)))}",
            f"        raise {constant(code)}.broken({facts})",
        ]
    lines += ["    # EFFECT", f"    raise NotImplementedError({given})" if given else "    raise NotImplementedError"]
    return "\n".join([*lines, ""])


def compared(plan: Plan) -> str:
    """Return a TOML entry with results that are new handles or addresses in each run.

    The result is empty without any.
    """
    if plan.api is NVML:
        return ""
    handles = {*plan.api.description.DESCRIPTION.handles, "void"} - {"CUdevice"}
    fresh = [f'{param.name} = "fresh"\n' for param in plan.call.outputs if param.type in handles]
    return f"[{plan.call.name}]\n{''.join(fresh)}" if fresh else ""


def cases(plan: Plan) -> str:
    """Return the module of a call's cases: an entry, whatever the API."""
    name, values = plan.call.name, "".join(f"{_value(param)}, " for param in plan.call.inputs).rstrip()
    arguments = f", lambda _: ({values})" if values else ""
    in_worlds = plan.codes and not plan.call.inputs
    lines = [
        *_head(plan)[: None if in_worlds else -2],
        "from conformance.kit.case import Entry",
        "",
        *(["if TYPE_CHECKING:", "    from conformance.kit.world import Invocation, World", ""] if in_worlds else []),
        f'entry = Entry.of("{name}"{arguments})',
        '"""To be written: the arguments of a call that succeeds, which a process makes with what they need."""',
        *(
            f'entry.null("{result.name}", "{NULL[plan.api.name]}")'
            for result in plan.call.outputs
            if plan.api.name in NULL
        ),
        *(line for code in plan.codes for line in _breaks(plan, code)),
        *([""] * (2 if in_worlds else 1)),
        f"test_{plan.name} = entry.test()",
        "",
    ]
    return "\n".join(lines)


def _breaks(plan: Plan, code: Code) -> Iterator[str]:
    """Yield the case that breaks a code's rule.

    It uses an argument or a fact of the world.
    """
    name = constant(code)
    if plan.call.inputs:
        first = plan.call.inputs[0]
        yield f'entry.breaks("{name}", {first.name}={_value(first)})'
        return
    yield from ("", "", f'@entry.world("{name}")', f"def {name.lower()}(_w: World, _i: Invocation) -> None:")
    yield from ('    """To be written: what breaks it."""', "    raise NotImplementedError")


def _head(plan: Plan) -> list[str]:
    summary = f'"""{plan.call.name}: {_lower(plan.summary)}'
    return [
        summary,
        "",
        plan.link,
        '"""',
        "",
        "from __future__ import annotations",
        "",
        "from typing import TYPE_CHECKING",
        "",
    ]


def _guards(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield the guards, or the rule, that calls of the API begin with.

    Each comes as module and name.
    """
    if plan.api is DRIVER:
        initialized = "fakecuda.rules.driver.core.initialized"
        yield (
            ("fakecuda.rules.driver.context.current", "current")
            if plan.in_context
            else (initialized, "require_initialized")
        )
        if plan.call.outputs:
            yield initialized, NULL["driver"]
    elif plan.api is RUNTIME:
        yield "fakecuda.rules.runtime.active", "active"
        if plan.call.outputs:
            yield "fakecuda.rules.runtime.active", "given"
    elif plan.api is NVML:
        yield "fakecuda.rules.nvml.arguments", "initialised"
        if plan.call.outputs:
            yield "fakecuda.rules.nvml.arguments", "given"
    else:
        yield "fakecuda.rules.hip.active", "answering" if plan.call.outputs else "entered"


def _names(plan: Plan) -> list[str]:
    """Return the operation's names of its arguments."""
    found: list[str] = []
    for param in plan.call.inputs:
        name = snake(re.sub(r"^[hp]+(?=[A-Z])", "", param.name))
        name = f"{name}_" if name in TAKEN else name
        found.append(snake(param.name) if name in found else name)
    return found


def _kind(param: Param) -> str:
    """Return the annotation of a plain value."""
    if param.array or param.kind == "struct":
        inside = "tuple[int, ...]" if param.kind == "integer" else "tuple[Any, ...]"
        return f"{inside} | None" if param.pointer or param.array else inside
    if param.kind == "any" and param.role == "out":
        return "bytes"
    return "float" if param.type == "float" else KINDS.get(param.kind, "int")


def _result(plan: Plan) -> str:
    """Return the annotation of the operation's result."""
    kinds = [_kind(param).removesuffix(" | None") for param in plan.call.outputs]
    if plan.api is NVML and kinds and any(param.keyword for param in plan.call.outputs):
        return f"tuple[{', '.join(kinds)}]"
    return "None" if not kinds else kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"


def _value(param: Param) -> str:
    """Return a first plain value for a parameter."""
    if param.array or param.kind == "struct":
        return "()" if param.array else "None" if param.pointer else "(0,)"
    if param.kind == "bytes":
        return f"bytes({BYTES.get(param.type, 64)})"
    return 'b""' if param.kind == "string" else "0"


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
