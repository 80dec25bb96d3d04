"""A program on a model and a card: the model makes each step first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from conformance.drawing.drawing import NOT_MADE, is_left_out
from conformance.kit.cleaning import STICKY
from conformance.kit.compare import ENDS_CONTEXTS, differences
from conformance.kit.kinds import newest
from conformance.kit.plan import plan_of
from conformance.kit.program import DIED, FORKED, MAIN, OTHER_STEPS
from conformance.kit.references import is_unnamed
from conformance.kit.world import CONTEXT, INITIALISED, NEW, RUNTIME
from conformance.search.ignorable import counts
from conformance.search.process_pool import ALL, MARKS, Given, Stable, Warm, kinds_of
from conformance.search.renaming import learn, renamed
from conformance.search.situations import met
from conformance.targets.leftovers import NO_CONTEXT, Undo
from conformance.targets.sessions import Alongside, Costs
from fakecuda.errors import EndlessWait, UndefinedBehaviour
from fakecuda.model.code.linking import Linker
from fakecuda.model.graph import graph_memory
from fakecuda.model.os.process import NOT_INITIALIZED
from fakecuda.spec.codes import CRASH, HANG, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.kit.plan import Plan
    from conformance.kit.program import Answer, Plain, Recorded, Step
    from conformance.search.reached import Reached
    from fakecuda.machine.machine import Machine

ASKS = re.compile(r"[a-z](Get|Query|Can|Peek|Is|Synchronize|Flush)(?!.*Handle)")
"""The pattern of names of calls that change nothing."""
FAULTS = STICKY - {Result.CONTEXT_IS_DESTROYED}
WITH_OTHERS = frozenset({"image", "kernel", "node", "graph", "dptr", "array"})
"""Kinds of names whose objects end with others: with a linker, a library or a module, a graph, a node, a context, a
mipmapped array."""
HARMLESS = "cuLink"
"""Prefixes of calls whose failures leave no sticky error in a context."""


class Ahead(Alongside):
    """A recorder of a card whose model makes each call first.

    Args:
        stable: The card's processes.
        model: The model.
        reached: Takes what the program reaches.
        fresh: Whether all processes are to be new ones.
        costs: Takes what the calls cost.

    Attributes:
        kinds: What the first call of a process makes of it, where it is known before.
        over: Whether the program ends here.
        apart: Whether one side alone has made a change, in a call whose difference does not count.
    """

    def __init__(
        self,
        stable: Stable,
        model: Machine,
        reached: Reached,
        *,
        fresh: bool = False,
        costs: Costs | None = None,
    ) -> None:
        super().__init__(stable.machine, model, costs=costs)
        self.kinds: dict[str, tuple[str, int]] = {}
        self.over = False
        self.apart = False
        self._stable = stable
        self._fresh = fresh
        self._reached = reached
        self._warm: dict[str, Warm] = {}
        self._expected: Answer | None = None
        self._last = ""
        self._own: dict[str, str] = {}

    @property
    def lost(self) -> bool:
        """Whether the model no longer follows."""
        return self.apart or super().lost

    # What a drawn program makes

    def begin(self, process: str, *, runtime: bool, device: int) -> None:
        """Start a process with a device in use; with the runtime API last.

        A call that the card answers otherwise, or does not return from, is the program's last.
        """
        if self.over:
            return
        others = [number for number in range(len(self.model.machine.devices)) if number != device]
        self.kinds[process] = (ALL if others else RUNTIME, device) if runtime else (INITIALISED, 0)
        self.spawn(process)
        first: list[tuple[str, tuple[Plain, ...]]] = [("cuInit", (0,)), ("cuCtxCreate", (None, 0, device))]
        if runtime:
            first = [("cudaSetDevice", (number,)) for number in (*others, device)]
        for name, inputs in first:
            if not self.over:
                self.lead(process, MAIN, name, inputs)

    def lead(
        self, process: str, thread: str, name: str, inputs: tuple[Plain, ...], null: str = "", *, may_fail: bool = True
    ) -> int:
        """Make a call on the model and then on the card; return its code, or ``NOT_MADE``.

        Args:
            process: The process that calls.
            thread: Its thread.
            name: The call.
            inputs: Its plain inputs, of the model.
            null: The results whose pointer is null.
            may_fail: Whether a call of the driver that fails is made.
        """
        return self._try(
            process, thread, lambda: self.model.call(process, thread, name, inputs, null), may_fail=may_fail
        )

    def _try(self, process: str, thread: str, make: Callable[[], object], *, may_fail: bool = True) -> int:
        """Make a call on the model and, if allowed, on the card; return its code."""
        state = self.model.processes[process].thread_of(thread)
        last_error, refused, stack = state.last_error, state.refused_text, list(state.stack)
        captures = self.model.processes[process].captures
        sound = [one for one in captures.all() if one.valid] if captures is not None else []
        self.model.machine.strict = True  # a driver goes on after such calls, and may end the process at a later one
        try:
            make()
        except EndlessWait:
            return NOT_MADE
        except UndefinedBehaviour:
            self._reached.undefined += 1
            code = NOT_MADE
        else:
            code = self._follow(may_fail=may_fail)
        finally:
            self.model.machine.strict = False
        if code == NOT_MADE:  # a call of the runtime API leaves its error, and what it made current
            state.last_error, state.refused_text = last_error, refused
            state.stack[:] = stack
            for one in sound:  # nor has the card's capture seen it
                one.valid, one.invalidated_by = True, None
        return code

    def _follow(self, *, may_fail: bool = True) -> int:
        """Make the model's last call on the card, if allowed; return its code."""
        model = self.model
        step, answer, rule = model.program.steps[-1], model.program.answers[-1], model.rules[-1]
        name = step["call"]
        strange = bool(answer["code"]) and self._is_strange(step)
        if strange or is_left_out(name, rule, may_fail=may_fail):
            model.forget()
            self._reached.undefined += strange or rule.grade == "undefined"
            return NOT_MADE
        if rule is not None:
            self._reached.rules.add(rule.id)
        self._reached.calls[name] += 1
        self._reached.answers[name, int(answer["code"])] += 1
        self._reached.situations.update(met(model, step))
        self._reached.pairs.add((self._last, name))
        self._last = name
        self._expected = answer
        self.run(step)
        return int(answer["code"])

    def _is_strange(self, step: Step) -> bool:
        """Return whether a call has a handle that no name of its kind has: on a card it is any address."""
        plan = plan_of(step["call"])
        given = [self.model.value(data) for data in step["args"]]
        kinds = [plan.kind_of(param, given) if kind is None else kind for param, kind in plan.inputs]
        return any(is_unnamed(*pair) for pair in zip(kinds, step["args"], strict=True))

    def other(self, step: Step) -> None:
        """Make a step that is not a call."""
        self.run(step)
        self.over = self.over or self.lost

    def replay(self, steps: Sequence[Step], answers: Sequence[Answer]) -> None:
        """Make the steps of a program that should differ, without those that lack inputs.

        Args:
            steps: The steps, which refer to names as the program gave them.
            answers: The program's answers, which tell these names.
        """
        self.kinds = kinds_of(steps)
        texts: dict[str, str] = {}
        for step, answer in zip(steps, answers, strict=True):
            if self.over:
                return
            name, process = step["call"], step["process"]
            alive = process in self.processes and self.processes[process].alive
            if name not in {"spawn", "close", "file", "open", "world"} and not alive:
                continue
            try:
                made = {**step, "args": [renamed(data, texts) for data in step["args"]]} if "args" in step else step
            except KeyError:
                continue
            if name in OTHER_STEPS:
                self.other(made)
            elif self._again(made) == NOT_MADE:
                continue
            for label, out in answer["outs"].items():
                learn(out, self.model.program.answers[-1]["outs"].get(label), texts)

    def _again(self, step: Step) -> int:
        """Make a recorded call as :meth:`lead` does."""
        return self._try(step["process"], step.get("thread", MAIN), lambda: self.model.run(step))

    # How a card follows

    def spawn(self, name: str = "", **options: Any) -> Recorded:
        """Start a process, or take a clean one from the pool; there are no options."""
        assert not options
        kind, device = self.kinds.get(name, (NEW, 0))
        warm = self._stable.new() if self._fresh else self._stable.take(kind, device)
        self._warm[name] = warm
        taken, self.machine = self.machine, Given(warm.process)
        try:
            return super().spawn(name)
        finally:
            self.machine = taken

    def _make(self, step: Step, inputs: tuple[Plain, ...], plan: Plan) -> tuple[Answer, tuple[Plain, ...]]:
        self._let_go(step["process"])
        warm = self._warm[step["process"]]
        name = step["call"]
        if self._expected is not None and self._expected["code"] in FAULTS and FORKED not in step:
            # A card's device comes to the work that fails some milliseconds later.
            warm.process.thread(step.get("thread", MAIN)).c.cuCtxSynchronize()
        if not MARKS & set(step):
            stands = self._stable.stands(warm, name, inputs)
            warm.made += 1
            if stands:
                return {"code": 0, "outs": {}}, (0,)
            if name == "cuCtxCreate" and not inputs[0] and inputs[1] == 0 and warm.spares.get(inputs[2]):
                context = warm.spares[inputs[2]].pop()
                code = warm.process.thread(MAIN).c.cuCtxPushCurrent(context)[0]
                if not code:
                    new = self.names.new(step["process"], "ctx", context)
                    return {"code": 0, "outs": {"pctx": {"new": new.text}}}, (0, context)
        made = super()._make(step, inputs, plan)
        captures = self.model.processes[step["process"]].captures
        if name == "cuMemMapArrayAsync" and not made[0]["code"] and not (captures and captures.all()):
            # A card's process crashes if the memory is released before its device maps it.
            warm.process.thread(step.get("thread", MAIN)).c.cuStreamSynchronize(inputs[-1])
        return made

    def _let_go(self, process: str) -> None:
        """Release names of objects that ended with another object, on both sides."""
        found = [one for one in self.model.names.by_text.values() if one.kind in WITH_OTHERS and one.process == process]
        if not found:
            return
        model = self.model.processes[process]
        linkers = [one for one in model.loaded.values() if isinstance(one, Linker)]
        images = {start: one for one in linkers for start in one.arena.blocks}
        graphs, arrays = model.graphs, model.arrays
        living = {"image": images, "kernel": model.loaded, "node": graphs, "graph": graphs, "array": arrays}
        for name in found:
            if not name.live:
                continue
            if name.kind == "dptr":
                lives = bool(model.memory.at(name.value) or graph_memory.at(model, name.value))
            else:
                handles = name.value if isinstance(name.value, tuple) else (name.value,)
                lives = not any(handles) or not living[name.kind].keys().isdisjoint(handles)
            if not lives:
                for names in (self.model.names, self.names):
                    if name.text in names.by_text:
                        names.by_text[name.text].references = 0

    def _log(self, step: Step, answer: Answer, *, made: bool = False) -> None:
        expected, self._expected = self._expected, None
        if expected is None:
            super()._log(step, answer, made=made)
        else:
            self.keep(step, answer, made=made)  # the model has made it
            found = differences(
                answer,
                expected,
                step["call"],
                ended=step["process"] in self._ended,
                step=len(self.program.steps) - 1,
                process=step["process"],
            )
            for one in found:
                if counts(one, step, self.model, fresh=self._fresh):
                    self.found.append((one, self.model.rules[-1]))
                elif one.kind == "code" and not (one.expected and one.got):
                    self.apart = True
            if newest(step["call"]) in ENDS_CONTEXTS:
                self._ended.add(step["process"])
        self.over = self.over or self.lost

    # What comes after a program

    def finish(self) -> None:
        """Undo the program, keep processes that are clean again, and end the others."""
        if self._harmless():
            self.found.clear()
        judged = {name: "a difference" if self.lost else self._fault(name) for name in self._warm}
        undos: dict[str, Undo] = {}
        for name in reversed(self._warm):
            if not judged[name]:
                undos[name] = self._undo(name)
        for undo in undos.values():
            undo.let_go()
        for undo in undos.values():
            undo.free()
        for name, warm in self._warm.items():
            if not judged[name]:
                left = undos[name].left()
                judged[name] = "a difference" if self.lost else "" if left == NO_CONTEXT else left
            if judged[name] or self._fresh:
                self._stable.end(warm, judged[name] or "it was asked for")
            else:
                self._keep(name, undos[name])
        self.processes.clear()
        self.close()

    def _harmless(self) -> bool:
        """Return whether model and card have the same state after a difference."""
        if self.failed is not None or not self.found:
            return False
        one = self.found[0][0]
        if one.kind == "value":
            return True
        ended = {CRASH, HANG, DIED, *FAULTS}
        return not {one.expected, one.got} & ended and (bool(one.expected and one.got) or bool(ASKS.search(one.call)))

    def abandon(self) -> None:
        """End all processes of a failed program."""
        for warm in self._warm.values():
            self._stable.end(warm, "its program went wrong")
        self.processes.clear()
        self.close()

    def _fault(self, name: str) -> str:
        """Return why a process cannot be reused, or None."""
        if not self.processes[name].alive or not self.model.processes[name].alive:
            return "it ended"
        steps = zip(self.program.steps, self.program.answers, strict=True)
        mine = [(step, answer["code"]) for step, answer in steps if step["process"] == name]
        if any(code in FAULTS and not step["call"].startswith(HARMLESS) for step, code in mine):
            return "a fault"
        if any(one.refused_text for one in self.model.processes[name].threads.values()):
            return "refused PTX"  # which the linkers of its thread notice
        if any(FORKED in step and not code for step, code in mine):
            return "a fork"
        return "it was exiting" if any(step["call"] == "begin_exit" for step, _ in mine) else ""

    def _undo(self, name: str) -> Undo:
        model = self.model.processes[name]
        kind, device = self.kinds.get(name, (NEW, 0))
        if kind in {RUNTIME, ALL}:
            beside = range(len(model.devices)) if kind == ALL else ()
            return Undo(self, self.model, name, RUNTIME, device, "", beside)
        if model.state == NOT_INITIALIZED:
            return Undo(self, self.model, name, NEW, 0, "")
        own = next((one for one in model.contexts.values() if not one.primary), None)
        if own is None:
            return Undo(self, self.model, name, INITIALISED, 0, "")
        found = self.model.names.alias(name, "ctx", own.handle)
        self._own[name] = found[0].text if found is not None else ""
        kind = CONTEXT if self._own[name] else INITIALISED
        return Undo(self, self.model, name, kind, model.number_of(own.device), self._own[name])

    def _keep(self, name: str, undo: Undo) -> None:
        """Keep a process, with its spare contexts."""
        warm, model = self._warm[name], self.model.processes[name]
        kind, device = self.kinds.get(name, (NEW, 0))
        handles = list(undo.spares)
        if model.state != NOT_INITIALIZED and kind not in {RUNTIME, ALL}:
            kind, device = INITIALISED, 0
            text = self._own.get(name, "")
            own = model.contexts.get(int(self.model.names.by_text[text].value)) if text else None
            if own is not None:
                warm.process.thread(MAIN).c.cuCtxPopCurrent()
                handles.append(own.handle)
        for handle in handles:
            found = self.model.names.alias(name, "ctx", handle)
            assert found is not None
            number = model.number_of(model.contexts[handle].device)
            warm.spares.setdefault(number, []).append(int(self.names.by_text[found[0].text].value))
        warm.kind, warm.device = kind, device
        lines = any("thread" in step for step in self.program.steps if step["process"] == name)
        managed = any("Managed" in step["call"] for step in self.program.steps if step["process"] == name)
        if lines or managed:
            renew = getattr(warm.process, "renew", None)
            if renew is None and lines:  # a model that stands for a card has no way to end a thread
                self._stable.end(warm, "its threads")
                return
            if renew is not None:
                renew()
        self._stable.give(warm)
