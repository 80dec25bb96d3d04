"""Recordings of whole programs, shortened to what each shows first: ``python -m conformance.record.condensed FILE… --out DIR``.

``python -m fakecuda record`` writes every call of a program. A class is a call, its code, what kind of values its arguments are, and
the state of the objects that they name. A shortened program has the first call of each class, and the calls that lead there. A
class counts once for all programs of a command, in their order. Refusals and queries count apart.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from pathlib import Path
from shutil import copyfile
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from conformance.kit.calls import CALLS
from conformance.kit.names import Names
from conformance.kit.plan import plan_of, referred
from conformance.kit.program import LIFE, OTHER_STEPS, Program
from conformance.record import recordings
from conformance.record.adopted import NAME, UNSEEN, new_names, text_of
from conformance.record.checked import WORDS, checked_on
from conformance.record.findings import asks
from conformance.record.handed import EXPORTS, IMPORTS, Handed
from conformance.record.opaque import without_params
from conformance.record.recordings import BESIDE, RecordingError
from conformance.record.replay import profile_of, recording
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from conformance.kit.program import Answer, Step
    from conformance.record.checked import Checked

Key = tuple[object, ...]
LEFT_OUT = frozenset({"stack", "pid", "program"})
"""What a step says of the machine and of the program's files."""
LARGE = 2 << 20
"""From here on, a number is a large one: a granule of memory."""
HOST = range(0x5500_0000_0000, 1 << 47)
"""Where the code, the heap and the stack of a program are."""
SHIFTED = 1 << 20
"""A multiple of this is a number of the program's, such as a flag, rather than an address."""
EXACT = 4
"""Members of a struct below this stand for themselves."""
KEEPS_STATE = re.compile("Memcpy|Memset|Launch|Synchronize|WaitEvent|Query|ThreadExchange")
"""Calls after which the objects that they name are in the same state."""
CURRENT = re.compile("^cuCtx(SetCurrent|PushCurrent|PopCurrent|Create|Destroy)")
"""Calls that change a thread's current context."""
FORGETS = frozenset({"cuCtxSetCurrent"})
"""Those after which the context before does not matter."""
KINDS = EFFECT, REFUSAL, QUERY = "effects", "refusals", "queries"
"""What classes are."""
ROUNDS = 8
"""How often steps are left out whose answers differ without what came before them."""


@define
class Classes:
    """The classes of a program's calls, one call after the other.

    Attributes:
        states: The call that changed an object last, by name.
        captures: How many captures each process has begun and not ended.
    """

    states: dict[str, str] = field(factory=dict)
    captures: Counter[str] = field(factory=Counter)

    def of(self, step: Step, answer: Answer) -> Key:
        """Return the class of a call, and note what it changes."""
        call, process = step["call"], step["process"]
        plan = plan_of(call)
        given = tuple(
            self._value(arg, process, exact=param.type in ENUMS or "flag" in param.name.lower())
            for (param, _), arg in zip(plan.inputs, step.get("args", ()), strict=False)
        )
        found = (call, answer["code"], given, step.get("null", ""), "forked" in step, self.captures[process] > 0)
        if kind_of(step, answer) == EFFECT:
            for text in changed(step, answer):
                self.states[text] = call
            self.captures[process] += call.startswith("cuStreamBeginCapture")
            self.captures[process] -= call == "cuStreamEndCapture"
        return found

    def _value(self, arg: Any, process: str, *, exact: bool = False, inner: bool = False) -> object:
        if isinstance(arg, dict):
            if "ref" not in arg:
                return next(iter(arg), "")
            found = NAME.fullmatch(arg["ref"])
            owner, kind, _ = found.groups() if found else ("", arg["ref"], "")
            whose = owner if owner in {None, UNSEEN} else owner == process
            return kind, whose, self.states.get(arg["ref"], ""), bool(arg.get("plus"))
        if isinstance(arg, list):
            return tuple(self._value(one, process, inner=True) for one in arg[: 4 * EXACT])
        if not isinstance(arg, int) or exact or (inner and 0 <= arg < EXACT):
            return arg
        return min(arg, 2) if arg < 2 else "large" if arg >= LARGE else "small"


def kind_of(step: Step, answer: Answer) -> str:
    """Return which of KINDS a call is. Calls that only ask are queries."""
    is_answered = answer["code"] in {0, Result.NOT_READY}
    if is_answered and asks(step["call"]) and next(new_names(answer["outs"]), None) is None:
        return QUERY
    return REFUSAL if answer["code"] else EFFECT


def named(data: Any) -> Iterator[str]:
    """Yield the names that arguments or results refer to."""
    if isinstance(data, dict):
        yield from (data[key] for key in ("ref", "name") if isinstance(data.get(key), str))
    if isinstance(data, (dict, list)):
        for part in data.values() if isinstance(data, dict) else data:
            yield from named(part)


def changed(step: Step, answer: Answer) -> Iterator[str]:
    """Yield the objects that a call makes, and the one whose state it changes: the first that it names."""
    yield from new_names(answer["outs"])
    first = next(named(step.get("args")), None)
    if first is not None and not KEEPS_STATE.search(step["call"]):
        yield first


@define
class _Picks:
    """The steps of a program that are kept.

    Attributes:
        seen: The classes so far, of earlier programs, too.
        handed: The descriptors that processes hand to each other.
        counts: How many new classes there are, by what they are.
        kept: The steps that are kept for themselves.
    """

    seen: set[Key]
    handed: Handed = field(factory=lambda: Handed(Names()))
    counts: Counter[str] = field(factory=Counter)
    kept: set[int] = field(factory=set)
    _classes: Classes = field(factory=Classes)
    _needs: dict[int, set[int]] = field(factory=dict)
    _last: dict[Key, int] = field(factory=dict)
    _early: dict[str, list[int]] = field(factory=dict)
    _open: dict[str, list[set[int]]] = field(factory=dict)
    _captures: list[set[int]] = field(factory=list)

    def add(self, number: int, step: Step, answer: Answer) -> None:
        """Look at a step. A call whose arguments were not read shows nothing."""
        call = step["call"]
        if step.get("args") == [{"ref": WORDS}]:
            return
        if call in LIFE:
            self.kept.add(number)
        if call not in OTHER_STEPS and call in CALLS:
            key = self._classes.of(step, answer)
            if key not in self.seen:
                self.seen.add(key)
                self.kept.add(number)
                self.counts[kind_of(step, answer)] += 1
        given = referred(self.handed.given(step, answer)["args"][0]) if call in IMPORTS else None
        needs = [
            ("object", given),
            *self._of(step),
            *(("object", text) for text in named([step.get("args"), answer["outs"]])),
        ]
        self._needs[number] = {self._last[one] for one in needs if one in self._last}
        for text in named(step.get("args")):
            if ("object", text) not in self._last:
                self._early.setdefault(text, []).append(number)
        if call == "cuDevicePrimaryCtxRetain" and not answer["code"]:
            for other in self._early.pop(text_of(answer["outs"]["pctx"]), ()):
                self._needs[other].add(number)
        if call in OTHER_STEPS or kind_of(step, answer) == EFFECT:
            self._change(number, step, answer)

    def _of(self, step: Step) -> Iterator[Key]:
        """Yield what a call needs beside the objects that it names."""
        call, process, thread = step["call"], step["process"], step.get("thread", "")
        yield "driver", process
        if call not in FORGETS:
            yield "thread", process, thread
        if call.startswith("cuDevicePrimaryCtx"):
            yield "primary", process, str(step["args"][:1])
        if call == "cuThreadExchangeStreamCaptureMode":
            yield "mode", process, thread

    def _change(self, number: int, step: Step, answer: Answer) -> None:
        call, process = step["call"], step["process"]
        self._last.update((("object", text), number) for text in changed(step, answer))
        if call in EXPORTS:
            self._last["object", self.handed.export(step)] = number
        for key in self._of(step):
            if key[0] in {"primary", "mode"}:
                self._last[key] = number
        if CURRENT.search(call):
            self._last["thread", process, step.get("thread", "")] = number
        if call == "cuInit":
            self._last.setdefault(("driver", process), number)
        several = self._open.setdefault(process, [])
        if call.startswith("cuStreamBeginCapture"):
            several.append(set())
            self._captures.append(several[-1])
        for one in several:
            one.add(number)
        if call == "cuStreamEndCapture" and several:
            several.pop()

    def chosen(self, without: frozenset[int]) -> list[int]:
        """Return the steps that are kept, and what they need.

        Args:
            without: Steps that are left out unless others need them.
        """
        found: set[int] = set()
        waiting = list(self.kept - without)
        while waiting:
            number = waiting.pop()
            if number in found:
                continue
            found.add(number)
            waiting += self._needs[number]
            waiting += (other for one in self._captures if number in one for other in one)
        return sorted(found)


def condensed(program: Program, seen: set[Key], path: Path) -> tuple[Program, Counter[str]]:
    """Return a program with the first call of each class that is new, how many there are, and how many calls the model does not make.

    Args:
        program: A recorded program.
        seen: The classes of earlier programs; the new ones are added.
        path: The recording, whose machine's model has to answer the shorter program as the driver did.

    Raises:
        RecordingError: It does not.
    """
    picks = _Picks(seen)
    for step, answer in zip(program.steps, program.answers, strict=True):
        picks.handed.note(step, answer)
    for number, (step, answer) in enumerate(zip(program.steps, program.answers, strict=True)):
        picks.add(number, step, answer)
    without: frozenset[int] = frozenset()
    for _ in range(ROUNDS):
        numbers = picks.chosen(without)
        steps = _anonymous([program.steps[number] for number in numbers])
        short = evolve(program, steps=steps, answers=[program.answers[number] for number in numbers], about="")
        checked = checked_on(profile_of(path), short)
        if not (checked.differences or checked.ended):
            picks.counts["not made"] = checked.skipped
            return short, picks.counts
        if not without:  # an answer that differs in the whole program, too, is to be settled first
            whole = checked_on(profile_of(path), program)
            if whole.differences or whole.ended:
                raise _differs(path, program, whole)
        differ = {numbers[one.step] for one in checked.differences}
        if differ <= without:
            break
        without |= differ
    raise _differs(path, program, checked)


def _differs(path: Path, program: Program, checked: Checked) -> RecordingError:
    told = "; ".join(map(str, checked.differences[:4])) or checked.ended
    return RecordingError(f"{path}: {program.name}: the model answers otherwise: {told}")


def _anonymous(steps: Sequence[Step]) -> list[Step]:
    """Return steps without paths, stacks, numbers of processes and threads of the machine, and addresses of what no call reads.

    These are parameters of kernels, which a recording does not have, data of host functions, and buffers for a compiler's messages.
    """
    threads: dict[tuple[str, str], str] = {}
    found = []
    for step in steps:
        short = without_params({key: value for key, value in step.items() if key not in LEFT_OUT})
        if "args" in short:
            short["args"] = _without_addresses(short["args"])
        if "thread" in short:
            key = step["process"], step["thread"]
            short["thread"] = threads.setdefault(key, f"t{len(threads) + 1}")
        found.append(short)
    return found


def _without_addresses(value: Any) -> Any:
    """Return arguments with 0 in place of each address in a program's own memory."""
    if isinstance(value, list):
        return [_without_addresses(one) for one in value]
    if isinstance(value, dict):
        return {key: _without_addresses(one) for key, one in value.items()}
    return 0 if isinstance(value, int) and value in HOST and value % SHIFTED else value


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m conformance.record.condensed", description="Shorten recordings of programs for the suite."
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE", help="recordings by python -m fakecuda record")
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="write DIR/programs.jsonl.gz, and the profile beside it"
    )
    options = parser.parse_args(arguments)
    try:
        several = list(_all(recordings.chosen(options.paths)))
    except RecordingError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    if options.out is not None:
        found = recordings.read(options.paths[0])
        recordings.write(options.out / "programs.jsonl.gz", found.header, several)
        copyfile(found.profile(), options.out / BESIDE)
    return 0


def _all(paths: Iterable[Path]) -> Iterator[Program]:
    seen: set[Key] = set()
    sys.stdout.write(f"| program | calls | {' | '.join(KINDS)} | steps | not made |\n|---{'|--:' * 6}|\n")
    for path in paths:
        found = recording(path)
        if isinstance(found, RecordingError):
            raise found
        for program in found.programs:
            name = f"programs/{path.name.partition('.')[0]}"
            short, counts = condensed(evolve(program, name=name), seen, path)
            calls = sum(step["call"] not in OTHER_STEPS for step in program.steps)
            row = name, f"{calls:,}", *(counts[one] for one in KINDS), len(short.steps), counts["not made"]
            sys.stdout.write(f"| {' | '.join(map(str, row))} |\n")
            sys.stdout.flush()
            yield short


if __name__ == "__main__":
    sys.exit(main())
