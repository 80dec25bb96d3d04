"""Programs as Python text that can be read and run."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from conformance.kit.calls import CALLS
from conformance.kit.kinds import OTHERS, UNTOLD
from conformance.kit.under_way import WAITS

if TYPE_CHECKING:
    from conformance.kit.program import Answer, Program, Step


def as_python(program: Program) -> str:
    """Return a program as Python text that defines ``play(machine)``."""
    lines = [f'"""{program.name}: recorded calls."""', "", ""]
    if any(step["call"] in {"open", "close"} for step in program.steps):
        lines += ["import os", "", ""]
    if any(
        isinstance(arg, dict) and {"node", "cudaNode"} & arg.keys()
        for step in program.steps
        for arg in step.get("args", ())
    ):
        lines += ["from fakecuda.spec import node_params", "", ""]
    if any(isinstance(arg, dict) and "as" in arg for step in program.steps for arg in step.get("args", ())):
        lines += ["from conformance.kit.nvml import Changed", "", ""]
    lines.append("def play(machine):")
    counts: Counter[tuple[str, str]] = Counter()
    for number, step in enumerate(program.steps):
        answer = program.answers[number] if number < len(program.answers) else {"code": 0, "outs": {}}
        lines += [f"    {line}" for line in _line(step, answer, counts)]
    return "\n".join(lines) + "\n"


def _line(step: Step, answer: Answer, counts: Counter[tuple[str, str]]) -> list[str]:
    """Return the Python lines of a step.

    Args:
        step: The step.
        answer: Its answer.
        counts: How many names that answers do not tell have been given, by process and kind.
    """
    call, process = step["call"], step["process"]
    if call == "spawn":
        return [f"{process} = machine.spawn()"]
    if call in {"begin_exit", "exit", "kill"}:
        return [f"{process}.{call}()"]
    if call == "world":
        return [f"# {step['args'][0]}"]
    if call == "open":
        return [f"{_variable(answer['outs']['fd']['new'])} = os.open(os.devnull, os.O_RDONLY)"]
    args = [_text(data) for data in step.get("args", [])]
    if call == "memory":
        return [f"{_variable(answer['outs']['ptr']['new'])} = {step['process']}.host_memory({args[0]})"]
    if call == "function":
        return [f"{_variable(answer['outs']['ptr']['new'])} = {step['process']}.c_function({args[0]})"]
    if call == "pid":
        return [f"{_variable(answer['outs']['pid']['new'])} = {step['process']}.pid"]
    if call == "write":
        return [f"write({process}, {', '.join(args)})  # by the host, into the process's memory"]
    if call == "read":
        sorts = f", items={step['sorted']}" if "sorted" in step else ""
        return [f"assert read({process}, {', '.join(args)}{sorts}) == {_text(answer['outs'].get('bytes'))}"]
    if call == "file":
        return [f"{_variable(answer['outs']['path']['new'])} = file_of({args[0]})  # the path of a file that holds it"]
    if call == "close":
        return [f"os.close({args[0]})"]
    if "null" in step:
        args.append(f"null={step['null']!r}")
    if "forked" in step or "inside" in step:
        door = f"{process}.{'forked' if 'forked' in step else 'inside'}"
    else:
        door = f"{process}.thread({step['thread']!r}).c" if "thread" in step else f"{process}.c"
    if "begun" in step or "again" in step:
        return _under_way(step, answer, door, args)
    outputs = CALLS[call].outputs
    outs = answer["outs"]
    targets = [
        _variable(outs[p.name]["new"])
        if isinstance(outs.get(p.name), dict) and "new" in outs[p.name]
        else p.name.replace("bytes", "size")
        for p in outputs
    ]
    for place, p in enumerate(outputs):
        if answer["code"] == 0 and outs.get(p.name) and (kind := OTHERS.get((call, p.name), "")) in UNTOLD:
            counts[process, kind] += 1
            targets[place] = f"{process}_{kind}{counts[process, kind]}"
    targets = targets if answer["code"] == 0 else ["_"] * len(outputs)
    left = ", ".join(["code", *targets]) + ("" if outputs else ",")
    return [f"{left} = {door}.{call}({', '.join(args)})", f"assert code == {answer['code']}"]


def _under_way(step: Step, answer: Answer, door: str, args: list[str]) -> list[str]:
    """Return the Python lines of a begun call, and of a look at it."""
    name = _variable(f"{step['process']}_{step.get('thread', 'main')}")
    stands = "waits" if answer["code"] == WAITS else f"has answered {answer['code']}"
    call = ", ".join([f"{door}.{step['call']}", *args])
    begins = [f"{name} = begin({call})  # in a thread of its own"]
    return [*(begins if "begun" in step else []), f"assert str({name}) == {stands!r}"]


def _variable(name: str) -> str:
    return name.replace(".", "_")


def _text(data: Any) -> str:
    if isinstance(data, dict) and "as" in data:
        return f"Changed({_variable(data['ref'])}, {data['as']!r}).plain()"
    if isinstance(data, dict) and "ref" in data:
        plus = data.get("plus", 0)
        sign = "+" if plus > 0 else "-"
        return f"{_variable(data['ref'])} {sign} {abs(plus)}" if plus else _variable(data["ref"])
    match data:
        case {"hex": digits}:
            return f"bytes.fromhex({digits!r})"
        case {"fill": [byte, count]}:
            return f"bytes([{byte}]) * {count}"
        case {"node": [number, values, clean]}:
            return f"node_params.pack({number}, {_text(values)}, {clean})"
        case {"cudaNode": [number, values, clean]}:
            return f"node_params.pack({number}, {_text(values)}, {clean}, node_params.RUNTIME_LAYOUTS)"
        case {"room": count}:
            return f"bytearray({count})"
        case list():
            return f"({', '.join(_text(item) for item in data)}{',' if len(data) == 1 else ''})"
    return repr(data)
