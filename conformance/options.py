"""The suite's pytest options and the target that its cases run on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.divergences import load
from conformance.target import Target
from conformance.world import Unavailable
from fakecuda import profiles
from realcuda.guard import OPTION

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conformance.case import Case

TARGETS = ("model", "processes", "real", "both", "recordings")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("conformance", "the driver's conformance suite")
    group.addoption(
        "--target",
        choices=TARGETS,
        default="recordings",
        help="what the cases run on: the model, real processes attached to a model (and every recording), this machine's "
        "driver, model and driver in lockstep, or (default) the model and every recording",
    )
    group.addoption("--require-real", action="store_true", help="fail when --target needs a driver that is not there")
    group.addoption(
        OPTION,
        action="store_true",
        help="make multicast calls on the real driver, too: on a host that is shared they can put the GPUs of others out "
        "of service",
    )
    group.addoption("--profile", default="h200-x2", help="the model's profile: a name or the path of a TOML file")


def pytest_configure(config: pytest.Config) -> None:
    """Say at once when the driver is required and not there."""
    if config.getoption("--require-real") and config.getoption("--target") in {"real", "both"}:
        reason = missing()
        if reason:
            msg = f"--require-real: no real driver: {reason}"
            raise pytest.UsageError(msg)


def missing() -> str:
    """Return why the real driver cannot be called here, empty when it can."""
    from realcuda import available  # noqa: PLC0415 - the model's runs need none of it

    return available()


@pytest.fixture(scope="session")
def conformance_machines(request: pytest.FixtureRequest) -> Iterator[Target]:
    """What the cases run on."""
    kind = request.config.getoption("--target")
    profile = profiles.load(request.config.getoption("--profile"))
    if kind not in {"real", "both"}:
        yield Target("processes" if kind == "processes" else "model", profile)
        return
    reason = missing()
    if reason:
        pytest.skip(f"no real driver: {reason}")
    import realcuda  # noqa: PLC0415 - likewise

    allowed = request.config.getoption(OPTION)
    with realcuda.Machine(warm=2, allow_multicast=allowed) as machine:
        yield Target(kind, profile, machine, load())


@pytest.fixture
def conformance_target(conformance_machines: Target) -> Checked:
    """What a case runs on; what the machine lacks is a skip."""
    return Checked(conformance_machines)


@pytest.fixture(autouse=True)
def conformance_asked(request: pytest.FixtureRequest) -> None:
    """Skip a test of the model alone where the driver is asked alone: it would say nothing of the driver."""
    if request.config.getoption("--target") == "real" and "conformance_machines" not in request.fixturenames:
        pytest.skip("it asks the model alone, and --target=real the driver alone")


class Checked:
    """A target whose lacks are skips.

    Args:
        target: The target.
    """

    def __init__(self, target: Target) -> None:
        self.target = target

    def check(self, cases: list[Case]) -> None:
        """Check cases; see :meth:`conformance.target.Target.check`."""
        __tracebackhide__ = True
        try:
            self.target.check(cases)
        except Unavailable as lack:
            pytest.skip(str(lack))
