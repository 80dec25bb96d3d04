"""Random choices of the tests, all from one reported seed; a pytest plugin.

``--random`` draws from a fresh seed, ``--random=SEED`` from that one; without it the seed is ``SEED``.
"""

from __future__ import annotations

import argparse
import secrets
from typing import Any

import pytest

SEED = 0
"""The default seed."""
FRESH = -1
"""The option value that asks for a fresh seed."""
KEY = "conformance_seed"
"""The key under which a pytest-xdist worker receives the seed."""


def draw_from(seed: int) -> None:
    """Have Hypothesis draw only from a seed in this process.

    By itself it keeps what failed in a database and ends slow examples: then what is drawn depends on earlier runs and
    on the load.

    Args:
        seed: Any integer from 0; what carries a seed of its own keeps it.
    """
    from hypothesis import core, settings  # noqa: PLC0415 - pytest rewrites it first

    settings.register_profile("fakecuda", database=None, deadline=None, derandomize=False, print_blob=False)
    settings.load_profile("fakecuda")
    core.global_force_seed = seed  # type: ignore[assignment]  # as --hypothesis-seed does
    draw_alike()


def draw_alike() -> None:
    """Make Hypothesis's draws independent of the project's folder and of imports.

    By itself it prefers numbers and texts that stand in the source files of the program under test.
    """
    from hypothesis.internal.conjecture import providers  # noqa: PLC0415 - likewise

    nothing = getattr(providers, "_local_constants", None)  # since Hypothesis 6.131
    if nothing is not None and not len(nothing):
        providers._get_local_constants = lambda: nothing  # noqa: SLF001 - no setting switches it off


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option ``--random``."""
    parser.getgroup("fakecuda").addoption(
        "--random",
        nargs="?",
        type=_seed,
        const=FRESH,
        default=SEED,
        metavar="SEED",
        help=f"draw from a fresh seed, or from SEED (an integer from 0); else from {SEED}",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Choose a fresh seed if asked for, or take the seed that a worker received."""
    if config.option.random == FRESH:
        told_here = getattr(config, "workerinput", {}).get(KEY)
        config.option.random = secrets.randbelow(1 << 32) if told_here is None else told_here
    draw_from(config.option.random)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Pass the seed to a worker."""
    node.workerinput[KEY] = node.config.option.random


def pytest_report_header(config: pytest.Config) -> str:
    """Return the seed for pytest's header."""
    return told(config.option.random)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print a seed other than the default again, so that findings can be repeated."""
    if config.option.random != SEED:
        terminalreporter.write_line(told(config.option.random))


def told(seed: int) -> str:
    """Return a line with a seed and how to change or repeat it."""
    if seed == SEED:
        return f"drawn from seed {seed}; --random draws from a fresh one"
    return f"drawn from seed {seed}; repeat with --random={seed}"


def _seed(text: str) -> int:
    if text.isdecimal():
        return int(text)
    msg = f"{text!r} is not a seed: write --random=SEED with an integer from 0, or --random at the end"
    raise argparse.ArgumentTypeError(msg)
