"""Graph nodes that a stream runs late: in conditionals and launches by kernels."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.model.finding import Finding
from fakecuda.model.graph.graph import KERNEL, MEMCPY, MEMSET
from fakecuda.model.work import launching, stream_scheduler, timed
from fakecuda.rules.core import Broken, Rule, undefined
from fakecuda.rules.driver.copy.plan import move_now
from fakecuda.rules.driver.execution.submitted import report
from fakecuda.rules.driver.graph.params import FAULTS, MEMORY_IS_THERE, plan_of, rows_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.conditional import Choice
    from fakecuda.model.graph.executables import Step
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.work.stream import Stream

CONDITION_IS_KNOWN = Rule(
    "each conditional handle has a value when its conditional node runs, and each while loop ends",
    Result.LAUNCH_FAILED,
    undefined(
        "cuGraphConditionalHandleCreate",
        "fakecuda's own answer, not a driver's: the kernel has ended without a known value for the condition",
    ),
    fix="set the value in the kernel's function (fakecuda.set_condition), and let the loop end",
)
"""No operation breaks the rule: the stream detects the violation later."""


def follow(call: Call, stream: Stream, choice: Choice, run: GraphRun) -> None:
    """Run the bodies that a condition chooses: its stream has reached the node."""
    try:
        do_all(call, stream, (step for body in choice.chosen() for step in body.chosen()), run)
    except FakeCudaError as error:
        note(call, CONDITION_IS_KNOWN, {"condition": choice.condition, "error": str(error)})
        stream_scheduler.fail(call.process, Result.LAUNCH_FAILED)


def do_all(call: Call, stream: Stream, steps: Iterable[Step], run: GraphRun) -> None:
    """Run kernel, copy and memset nodes in order, until one fails."""
    try:
        for step in steps:
            if stream.context.lost:
                return
            _do_now(call, stream, step, run)
    except UndefinedBehaviour:  # which is kept by now
        stream_scheduler.fail(call.process, Result.LAUNCH_FAILED)


def _do_now(call: Call, stream: Stream, step: Step, run: GraphRun) -> None:
    """Run a node that a stream has reached."""
    what = step.params
    try:
        if step.kind == KERNEL:
            launching.run_now(what.function, what.run_as, what.args, partial(report, what.function), run)
        elif step.kind == MEMCPY:
            move_now(call, stream, "cuGraphLaunch", plan_of(call, what, what[1] or stream.context))
        elif step.kind == MEMSET:
            _, pitch, value, size, width, height = what[0]
            targets = rows_of(call, what, what[1] or stream.context)
            timed.fill_rows(call.machine, targets, value, size, width * size, height, pitch)
    except Broken as broken:
        note(call, MEMORY_IS_THERE, broken.facts)
        stream_scheduler.fail(call.process, FAULTS[step.kind])


def note(call: Call, rule: Rule, facts: dict[str, Any]) -> None:
    """Keep a finding of a strict machine that no call can raise."""
    if call.machine.strict:
        call.machine.keep(Finding(rule, "cuGraphLaunch", call.process.name, facts))
