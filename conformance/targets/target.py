"""Targets: where a case runs, and what it must show there.

On the model a broken rule is exactly the one that the case names, and a call that fails leaves the machine as it was,
but for rules of which its operation says that the driver has acted before it checks them.
On the real driver the code is the rule's, unless ``divergences.toml`` knows better.
"""

from __future__ import annotations

import multiprocessing
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from attrs import define, field

import fakecuda
from conformance.kit.compare import Difference, is_early
from conformance.kit.program import INSIDE, Recorder
from conformance.kit.world import NotBuilt, Session, Unavailable, lack_of
from conformance.targets.newer import profiles_of
from conformance.targets.pairs import not_idle
from conformance.targets.sessions import Alongside, Costs, Lasting
from fakecuda.errors import FakeCudaError
from fakecuda.rules.registry import EVERY_OP, HIP, api_of
from fakecuda.spec.codes import CRASH, name_of
from realcuda.wire import MissingFunction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.kit.case import Case
    from conformance.kit.world import Invocation, World
    from conformance.targets.divergences import Divergence
    from fakecuda.profiles import Profile
    from fakecuda.rules.core import Rule
    from realcuda.gate import Gate

VISIBLE = "CUDA_VISIBLE_DEVICES"
PAIR = 2
SHORT = 12
"""The maximum number of worlds on one model."""
ENOUGH = 5
"""The number of failed cases after which a check ends."""


def worker_number() -> int:
    """Return the number of this worker process in a run; 0 for any other process."""
    number = multiprocessing.current_process().name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


@define
class Target:
    """The target of a test's cases.

    Attributes:
        kind: ``model``, ``processes``, ``real`` or ``both``.
        profile: The model's profile.
        real: The real machine, unless the kind is ``model``.
        known: The known differences.
        lack: Why the real machine cannot be asked, or empty.
        gate: What contexts are made in turn by.
    """

    kind: str
    profile: Profile
    real: Any = None
    known: tuple[Divergence, ...] = field(default=())
    lack: str = ""
    gate: Gate | None = None
    _turned: Any = field(default=None, init=False)
    _session: Lasting | None = field(default=None, init=False)
    _costs: Costs = field(factory=Costs, init=False)

    @property
    def multicast(self) -> bool:
        """Whether multicast calls are made on the machine."""
        return bool(getattr(self.real, "allow_multicast", False))

    def check(self, cases: list[Case]) -> str:
        """Check cases; several are a pair, and only the model checks their rules.

        Returns:
            How they differ in processes that earlier checks have used, where they agree in new ones.

        Raises:
            AssertionError: A case does not hold; the text ends with the program.
            Unavailable: The machine lacks what the only case needs.
        """
        if self.lack:
            raise Unavailable(self.lack)
        left_over: list[str] = []
        for profile in profiles_of(self.profile, cases):
            there = [case for one in cases if (case := one.on(profile))]
            try:
                self._check_on(profile, there, left_over)
            except AssertionError as error:
                if profile.hip.name:
                    error.args = (f"on {profile.name}: {error}",)
                raise
        return "\n\n".join(left_over)

    def _check_on(self, profile: Profile, cases: list[Case], left_over: list[str]) -> None:
        """Check cases on a profile and on the machine; add results of :meth:`check`.

        Raises:
            AssertionError: A case does not hold.
            Unavailable: The machine lacks what the only case needs.
        """
        for start in range(0, len(cases), SHORT):
            chunk = cases[start : start + SHORT]
            if self.kind == "processes":
                if api_of(chunk[0].entry.call) is HIP:
                    msg = "attached processes of the suite make no calls of HIP"
                    raise Unavailable(msg)
                from conformance.targets import processes  # noqa: PLC0415 - of an extra

                with processes.machine(profile) as machine:
                    check_on_model(chunk, machine)
            if self.kind in {"model", "both"}:
                closely = not_idle(chunk, profile) if len(chunk[0].twists) == PAIR else chunk
                if closely:
                    with fakecuda.Machine(profile, strict=False, seed=0) as machine:
                        check_on_model(closely, machine)
                for case in chunk:
                    if case.undefined:
                        check_strict(case, profile)
            asked = [case for case in chunk if case.real and (self.multicast or not case.guarded)]
            if self.real is not None and asked:
                left_over += self._check_on_real(asked)
            elif self.kind == "real":
                msg = f"{chunk[0].id} is for the model alone"
                raise Unavailable(msg)

    def close(self) -> None:
        """End the kept processes, and those of machines other than ``real``."""
        self._end_session()
        self._costs.save(0)
        if self._turned is not None:
            self._turned.close()
            self._turned = None

    def account(self) -> str:
        """Return the costs of the driver's side in this process, on one line."""
        return str(self._costs)

    def _end_session(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def _begin_session(self) -> Lasting:
        """Return a new session; workers begin with different cards."""
        count = len(self.profile.devices)
        first = worker_number() % count
        order = [(first + number) % count for number in range(count)]
        real, visible = self.real, None
        if first and hasattr(real, "with_environ"):
            names = os.environ.get(VISIBLE, ",".join(map(str, range(count)))).split(",")
            if len(names) == count:
                visible = ",".join(map(str, order))
                if self._turned is None:
                    self._turned = real.with_environ({VISIBLE: ",".join(names[number] for number in order)})
                real = self._turned
        model = fakecuda.Machine(self.profile, strict=False, seed=0).__enter__()  # the session closes it
        recorder = Alongside(real, model, visible, self._costs)
        return Lasting(recorder=recorder, costs=self._costs, gate=self.gate, cards=order if visible else range(count))

    def _check_on_real(self, cases: list[Case]) -> list[str]:
        """Check cases in shared processes, and repeat failures in new processes."""
        told: list[str] = []
        left_over: list[str] = []
        for shared in sharing(cases):
            if self._session is None or self._session.worn:
                self._end_session()
                self._session = self._begin_session()
            try:
                wrong = self._check_world(shared, self._session)
            except Unavailable:
                raise
            except BaseException:
                self._end_session()
                raise
            if wrong:
                again = [text for case in shared for text in self._check_in_new_processes(case)]
                told += again
                left_over += wrong if not again else []
            if len(told) >= ENOUGH:
                break
        self._costs.save()
        if told:
            raise AssertionError("\n\n".join(told))
        return left_over

    def _check_in_new_processes(self, case: Case) -> list[str]:
        """Check a case in new processes; return what fails."""
        session = self._begin_session()
        try:
            return self._check_world([case], session)
        finally:
            session.close()

    def _check_world(self, cases: list[Case], session: Lasting) -> list[str]:
        """Check one case, or several that share a world; return what fails."""
        recorder = session.recorder
        case, label = cases[0], ", ".join(case.id for case in cases)
        world = session.world(label)
        wrong: list[str] = []
        try:
            for case, invocation in build_shared(cases, world):
                code, *results = invocation.run()
                if code == 0:
                    case.observe(world, invocation, tuple(results))
                early = is_early(case.entry.call, int(code), case.code)
                if len(case.twists) < PAIR and code != case.code and not early and not self._knows(case, int(code)):
                    wrong.append(f"{case.id}: the driver answers {name_of(int(code))} instead of {name_of(case.code)}")
        except Unavailable:
            session.abandon(world)
            raise
        except MissingFunction as lack:
            session.abandon(world)
            raise Unavailable(str(lack)) from lack
        except Exception as error:  # noqa: BLE001 - it is told with the program
            session.abandon(world)
            if not (isinstance(error, OSError) and len(case.twists) == PAIR):
                wrong.append(f"{label}: {type(error).__name__}: {error}")
            # of a pair: a real function of the host needs a driver to call it
        else:
            world.finish()
        if self.kind == "both":
            wrong += [str(one) for one, rule in recorder.found if not self._explains(one, rule)]
            wrong += [f"{label}: the model raised {recorder.failed!r}"] if recorder.failed else []
        return ["\n".join([*wrong, "", recorder.told()])] if wrong else []

    def _explains(self, difference: Difference, rule: Rule | None) -> bool:
        return any(entry.covers(difference, rule, self.real.driver_version) for entry in self.known)

    def _knows(self, case: Case, answer: int) -> bool:
        difference = Difference(0, "", case.entry.call, "code", expected=answer, got=case.code)
        return self._explains(difference, case.rule)


def play(cases: list[Case], session: Session) -> list[tuple[Case, int]]:
    """Make the calls of cases in successive worlds; return each with its code.

    Raises:
        Unavailable: The machine lacks what a case needs.
        NotBuilt: The world of a case that is no pair cannot be built.
    """
    played = []
    for case in cases:
        world = session.world(case.id)
        invocation = build(case, world)
        if invocation is not None:
            code, *results = invocation.run()
            if code == 0:
                case.observe(world, invocation, tuple(results))
            played.append((case, int(code)))
        world.finish()
    return played


def build(case: Case, world: World) -> Invocation | None:
    """Build a case's world and return its call; None for an impossible pair.

    Raises:
        Unavailable: The machine lacks what the case, which is no pair, needs.
        NotBuilt: The world of a case that is no pair cannot be built.
    """
    try:
        return case.prepare(world)
    except Exception:
        if len(case.twists) < PAIR:
            raise
        return None


def sharing(cases: list[Case]) -> list[list[Case]]:
    """Return the cases in order, grouped by shared worlds, because contexts are slow."""
    groups: list[list[Case]] = []
    for case in cases:
        if groups and case.after_destruction and groups[-1][0].after_destruction and groups[-1][0].entry is case.entry:
            groups[-1].append(case)
        else:
            groups.append([case])
    return groups


def build_shared(cases: list[Case], world: World) -> Iterator[tuple[Case, Invocation]]:
    """Build the world of one case or several, and yield each case with its call.

    Raises:
        Unavailable: The machine lacks what the only case, which is no pair, needs.
        NotBuilt: The world of the only case, which is no pair, cannot be built.
    """
    if len(cases) == 1:
        if (invocation := build(cases[0], world)) is not None:
            yield cases[0], invocation
        return
    valid = cases[0].entry.valid(world)
    invocations = []
    for case in cases:
        other = case.after_destruction
        assert other is not None
        with suppress(NotBuilt, Unavailable):
            invocations.append((case, other.act(world, valid) or valid))
    destroy = next(twist for twist in cases[0].twists if twist is not cases[0].after_destruction)
    destroy.act(world, valid)
    yield from invocations


def check_on_model(cases: list[Case], machine: fakecuda.Machine) -> None:
    """Check cases on the model.

    Raises:
        AssertionError: One does not hold.
        Unavailable: The machine lacks what every case needs.
    """
    recorder = Recorder(machine, cases[0].id)
    session = Session(recorder)
    lacks = []
    try:
        for case in cases:
            world = session.world(case.id)
            try:
                invocation = build(case, world)
                if invocation is not None:
                    _check_one(case, session.recorder, world, invocation, machine)
                world.finish()  # a real process tells of a call in a thread only by its next call
            except (FakeCudaError, RuntimeError, Unavailable) as error:
                if not (lack := lack_of(error)):
                    raise
                lacks.append(Unavailable(lack))
                if len(lacks) == len(cases):
                    raise lacks[-1] from error
    finally:
        recorder.close()


def check_strict(case: Case, profile: Profile) -> None:
    """Check that a strict model reports a case's undefined behaviour.

    Raises:
        AssertionError: It does not.
    """
    with fakecuda.Machine(profile, seed=0) as machine:
        recorder = Recorder(machine, case.id)
        try:
            case.prepare(Session(recorder).world(case.id)).run()
        except fakecuda.UndefinedBehaviour as report:
            if report.finding.rule is not case.twists[0].rule:
                msg = f"{case.id}: a strict model reports {report.finding.rule.id}"
                raise AssertionError(_with_program(msg, recorder)) from report
        else:
            raise AssertionError(_with_program(f"{case.id}: a strict model reports nothing", recorder))
        finally:
            recorder.close()


def _check_one(case: Case, recorder: Recorder, world: World, invocation: Invocation, machine: fakecuda.Machine) -> None:
    # A single case that is to succeed is wrong by its code if it fails.
    before = machine.snapshot() if len(case.twists) == PAIR or case.code else None
    real_inside = getattr(machine, "inside_leaves_traces", False)
    pair_of_real = real_inside and len(case.twists) == PAIR
    try:
        code, *results = invocation.run()
    except OSError as error:
        if pair_of_real:
            return  # a real function of the host needs a driver to call it
        if real_inside:  # and a context that lets it
            raise Unavailable(str(error)) from error
        raise
    if pair_of_real and code == CRASH:
        return  # what one twist passes the other has read as an address
    rule = recorder.rules[-1]
    traces = rule in EVERY_OP[invocation.call].acts_before or (INSIDE in recorder.program.steps[-1] and real_inside)
    if code and not traces and before is not None and machine.snapshot() != before:
        raise AssertionError(_with_program(f"{case.id}: the call failed and changed the machine", recorder))
    if (
        traces or not code or len(case.twists) < PAIR
    ):  # after a pair nothing has changed that a single case does not ask
        machine.check_invariants()
    named = case.rule is not None or not case.code
    if len(case.twists) < PAIR and (code != case.code or (named and rule is not case.rule)):
        named_as = api_of(invocation.call).short
        expected = f"{named_as(case.code)} by {case.rule.id if case.rule else 'no rule'}"
        got = f"{named_as(code)} by {rule.id if rule else 'no rule'}"
        raise AssertionError(_with_program(f"{case.id}: the model answers {got} instead of {expected}", recorder))
    if code == 0:
        case.observe(world, invocation, tuple(results))


def _with_program(message: str, recorder: Recorder) -> str:
    return f"{message}\n\n{recorder.program.as_python()}"
