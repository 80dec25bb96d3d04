"""Calls under way, each on its own thread while the program continues.

On a card a call waits if it has not returned within the seconds of its step. On a model it waits once the model says so: no
clock decides there.
"""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.kit.plan import plan_of
from fakecuda.errors import ProcessDied
from fakecuda.model.memory.space import Unreadable
from fakecuda.model.work import stream_scheduler
from fakecuda.spec.codes import CRASH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from conformance.kit.plan import Plan
    from conformance.kit.program import Recorder

Plain = Any
Step = dict[str, Any]
MAIN = "main"
BEGUN, AGAIN = "begun", "again"
"""Marks of a begun call, and of a look at it, with the seconds for a card."""
PAUSE = 0.5
"""Seconds after which a card's call counts as waiting."""
GRACE = 5.0
"""Seconds for a card's call to end after its process."""
DIED = -3
"""The code of a call whose process had ended."""
SKIPPED = -4
"""The code of a call that lacks a value from an earlier call."""
WAITS = -5
"""The code of a call that has not returned yet."""
GLANCE = 0.001
"""Seconds between two checks of a model's calls."""
OVER, UNLIMITED = 0.0, float("inf")
"""Timeouts of a model's wait: expired, and unlimited."""
MOST = 30.0
"""Processor seconds after which a call that does not wait is an error."""


@define(eq=False)
class UnderWay:
    """A call on its own thread.

    Attributes:
        step: The step that began it.
        inputs: Its plain inputs.
        plan: What is known of the call.
        process: The process that makes it.
        make: Makes it.
        untimed: The threads whose limited waits no time ends on a model: the steps say when a limit is over.
        thread: The thread.
        made: Its code and results, once it has returned.
        error: What it raised instead.
        answer: Its answer as a recording has it, once a step has seen that it has returned.
        limits: Its waits on a model that have a time limit, with that limit in seconds.
    """

    step: Step
    inputs: tuple[Plain, ...]
    plan: Plan
    process: Any
    make: Callable[[], tuple[Plain, ...]]
    untimed: set[int] = field(factory=set)
    thread: threading.Thread = field(init=False)
    made: tuple[Plain, ...] | None = None
    error: BaseException | None = None
    answer: dict[str, Any] | None = None
    limits: list[tuple[Any, float]] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        number = threading.get_native_id()
        self.untimed.add(number)
        try:
            self.made = self.make()
        except ProcessDied:
            self.made = (DIED,)
        except Unreadable:
            self.made = (CRASH,)
        except BaseException as error:  # noqa: BLE001 - raised where the program looks at the call
            self.error = error
        finally:
            self.untimed.discard(number)

    def look(self, machine: Any, others: Iterable[UnderWay], seconds: float) -> tuple[Plain, ...] | None:
        """Return the call's code and results; None if it waits.

        Args:
            machine: The target.
            others: The calls under way.
            seconds: How long a card's call may take before it counts as waiting.

        Raises:
            BaseException: What the call raised.
        """
        model = _model(machine)
        if model is not None:
            self._settle(model, [other for other in others if other.process is self.process], seconds)
        else:
            self.thread.join(seconds)
        if self.error is not None:
            raise self.error
        return self.made

    def _settle(self, model: Any, calls: list[UnderWay], seconds: float) -> None:
        """Wait until the call has returned or waits, on a model.

        A time limit of the call is over if it is no longer than the look.
        """
        for wait, limit in self.limits:
            if limit <= seconds:
                wait.within = OVER
        end = time.process_time() + MOST  # a busy system makes no call late
        while self.thread.is_alive():
            alive = [call for call in calls if call.thread.is_alive()]
            waits = _waits(model, self.process.pid)
            if len(waits) >= len(alive):
                break
            assert time.process_time() < end, f"{self.step['call']} neither returns nor waits"
            self.thread.join(GLANCE)
        else:
            return
        for wait in waits:
            if wait.within is not None and wait.within < UNLIMITED:
                self.limits.append((wait, wait.within))
                wait.within = UNLIMITED


def _model(machine: Any) -> Any:
    """Return the model of a target; None for a card."""
    model = getattr(machine, "model", machine)
    return model if hasattr(model, "scheduler") else None


def _waits(model: Any, pid: int) -> list[Any]:
    """Return the waiting calls of a process on a model."""
    scheduler = model.scheduler
    with model.lock:
        stream_scheduler.look(model)
        waiting = scheduler.census.waiting
        if any(worker.busy and worker.thread.native_id not in waiting for worker in scheduler.workers):
            return []
        mine = [wait for wait in waiting.values() if wait.thread is not None and wait.thread.process.pid == pid]
        return [wait for wait in mine if wait.within != OVER and not wait.done()]


class Begun:
    """The begun calls of a program.

    Args:
        recorder: The recorder that writes them down.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._calls: dict[tuple[str, str], UnderWay] = {}

    def begin(
        self, process: str, thread: str, name: str, inputs: tuple[Plain, ...], null: str = "", seconds: float = PAUSE
    ) -> int:
        """Begin a call on a thread; return its code, ``WAITS`` if it has not returned.

        Args:
            process: The process that calls.
            thread: Its thread, which has no call under way.
            name: The call.
            inputs: Its plain inputs.
            null: The results whose pointer is null, with spaces between.
            seconds: How long a card's call may take before it counts as waiting.
        """
        step = self._recorder.step_of(process, thread, name, inputs, null) | {BEGUN: seconds}
        return self.start(step, inputs)

    def again(self, process: str, thread: str, seconds: float = PAUSE) -> int:
        """Return the code of a begun call, ``WAITS`` if it has not returned."""
        step = dict(self._calls[process, thread].step)
        del step[BEGUN]
        return self.look(step | {AGAIN: seconds})

    def start(self, step: Step, inputs: tuple[Plain, ...]) -> int:
        """Run a step that begins a call; return its code."""
        plan, subject = plan_of(step["call"]), self._recorder.processes[step["process"]]
        null = {"null": step["null"]} if "null" in step else {}
        model = _model(self._recorder.machine)
        make = partial(self._recorder.door(step, plan), *inputs, **null)
        made = UnderWay(step, inputs, plan, subject, make, model.scheduler.untimed if model is not None else set())
        self._calls[step["process"], step.get("thread", MAIN)] = made
        return self._keep(made, step, step[BEGUN])

    def look(self, step: Step) -> int:
        """Run a step that looks at a call; return its code."""
        begun = self._calls.get((step["process"], step.get("thread", MAIN)))
        if begun is None:
            self._recorder.keep(step, {"code": SKIPPED, "outs": {}})
            return SKIPPED
        return self._keep(begun, step, step[AGAIN])

    def end(self) -> None:
        """Wait for begun calls whose processes have ended."""
        for call in self._calls.values():
            call.thread.join(GRACE if _model(self._recorder.machine) is None else None)

    def _keep(self, begun: UnderWay, step: Step, seconds: float) -> int:
        """Record the state of a call, and return its code."""
        recorder = self._recorder
        found = begun.look(recorder.machine, self._calls.values(), seconds)
        if found is not None and begun.answer is None:
            ended = found[0] in {DIED, CRASH}
            answer: dict[str, Any] = {"code": found[0], "outs": {}}
            begun.answer = answer if ended else recorder.answered(begun.step, begun.inputs, begun.plan, *found)[0]
        answer = begun.answer or {"code": WAITS, "outs": {}}
        recorder.keep(step, answer)
        recorder.rules[-1] = self._rule(begun) if answer["code"] > 0 else None
        return int(answer["code"])

    def _rule(self, begun: UnderWay) -> Any:
        """Return the rule that a call has broken on a model, or None."""
        machine = self._recorder.machine
        calls = list(getattr(getattr(machine, "model", machine), "calls", ()))
        name, pid = begun.plan.call.name, begun.process.pid
        return next((one[5] for one in reversed(calls) if one[1].name == name and one[0].process.pid == pid), None)
