"""The suite's options, for the target, the seed and the selection of checks."""

from __future__ import annotations

import fnmatch
import re
from typing import TYPE_CHECKING

import pytest

from conformance.runner.chance import SEED
from conformance.targets.divergences import load
from conformance.targets.target import Target
from fakecuda import profiles
from realcuda.gate import Gate
from realcuda.guard import OPTION

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

TARGETS = ("model", "processes", "real", "both", "recordings")
AT_A_TIME = 8
"""Contexts of a card that a run creates at once; more would not be faster."""
FURTHER = 4
"""The factor of drawn programs in an extended run."""
PAIRS = re.compile(r"(?:^|-)pairs-\d+-\d+$")
"""The name of a check of pairs."""
_TARGET = pytest.StashKey[Target]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the suite's options."""
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
    group.addoption(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="run the checks whose file, call or name has this text in it, or matches it ('h200*cuMemMap'); may come several times",
    )
    group.addoption("--no-pairs", action="store_true", help="leave out the checks in which two rules meet")


def pytest_configure(config: pytest.Config) -> None:
    """Fail at once if the driver is required but missing.

    Raises:
        pytest.UsageError: It is.
    """
    if config.getoption("--require-real") and config.getoption("--target") in {"real", "both"}:
        reason = missing()
        if reason:
            msg = f"--require-real: no real driver: {reason}"
            raise pytest.UsageError(msg)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the real processes."""
    target = config.stash.get(_TARGET, None)
    if target is not None and target.real is not None:
        target.close()
        target.real.close()
    if target is not None and target.gate is not None:
        target.gate.close()


def missing() -> str:
    """Return why the real driver cannot be called here; empty if it can."""
    from realcuda import available  # noqa: PLC0415 - the model's runs need none of it

    return available()


def seed_of(config: pytest.Config) -> int:
    """Return the seed of drawn programs; see :mod:`conformance.runner.chance`."""
    return int(getattr(config.option, "random", SEED))


def examples_of(config: pytest.Config) -> int:
    """Return the factor of drawn programs."""
    return 1 if seed_of(config) == SEED else FURTHER


def target_of(config: pytest.Config) -> Target:
    """Return the target of this process's checks, which is made on first use.

    Where the target needs a driver that is not there, whatever is asked of it is a visible skip.
    """
    if _TARGET not in config.stash:
        kind = config.getoption("--target")
        profile = profiles.load(config.getoption("--profile"))
        if kind not in {"real", "both"}:
            config.stash[_TARGET] = Target("processes" if kind == "processes" else "model", profile)
        elif reason := missing():
            config.stash[_TARGET] = Target(kind, profile, lack=f"no real driver: {reason}")
        else:
            import realcuda  # noqa: PLC0415 - likewise

            # Made before a run's workers are forked; each starts processes of its own when it needs the first.
            real = realcuda.Machine(preloaded=("cuda.bindings.driver",), allow_multicast=config.getoption(OPTION))
            config.stash[_TARGET] = Target(kind, profile, real, load(), gate=Gate(AT_A_TIME))
    return config.stash[_TARGET]


def set_target(config: pytest.Config, target: Target) -> None:
    """Set the target of this process's checks; the caller closes the target."""
    config.stash[_TARGET] = target


def selected(config: pytest.Config) -> Callable[[str, str, Collection[str]], bool]:
    """Return a predicate on group id, name and calls that selects checks."""
    patterns = getattr(config.option, "only", [])  # a suite of another folder may run without these options
    alone = getattr(config.option, "no_pairs", False)

    def wanted(group: str, name: str, calls: Collection[str]) -> bool:
        if alone and PAIRS.search(name):
            return False
        texts = (f"{group}[{name}]", *calls)
        return not patterns or any(
            one in text or fnmatch.fnmatch(text, f"*{one}*") for one in patterns for text in texts
        )

    return wanted
