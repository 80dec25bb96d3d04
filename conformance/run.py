"""``python -m fakecuda conform``: the whole suite, dealt out to processes on all cores, with a table at the end.

Pytest collects (:mod:`conformance.runner.group`); this module runs what it collected. Processes are forked when all is
imported, and take a task at a time: some checks of one group. What each check showed comes back at once, so that a run
that is cut off, by Ctrl-C or a limit, still tells what it saw, and can go on later where it stopped.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import conformance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SUITE = conformance.SUITE
"""The folder that pytest collects."""
UNUSED = ("terminal", "cacheprovider", "logging", "faulthandler", "junitxml", "pastebin", "unraisableexception")
"""pytest plugins that are disabled; one of them collects garbage at the end."""
TARGETS = ("recordings", "model", "processes", "real", "both")


def main(arguments: Sequence[str]) -> int:
    """Run the command.

    Args:
        arguments: What stands behind ``conform``.

    Returns:
        The exit status: 0 when all agrees, 1 when something failed, 2 for a mistake in the use, 3 when nothing failed and
        the run was cut off.
    """
    options = parser().parse_args(arguments)
    if options.random == -1:
        options.random = secrets.randbelow(1 << 32)
    options.jobs = options.jobs or _cores()
    drawn = f"seed {options.random or 0}" + (f", repeat with --random {options.random}" if options.random else "")
    what = f"{options.target} on {options.profile}"
    print(f"conform: {what}, {drawn}, {options.jobs} processes", flush=True)
    with isolated(), uncollected():
        from conformance.runner.schedule import Schedule  # noqa: PLC0415 - the line above comes first

        return Schedule(options).run(pytest_arguments(options))


def _cores() -> int:
    """Return the number of cores for this process, or all if it is unknown."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def parser() -> argparse.ArgumentParser:
    """Return the command's parser."""
    made = argparse.ArgumentParser(
        prog="fakecuda conform",
        description="Check the model against what real drivers answered, and every rule by its cases.",
        epilog="Exit status: 0 all agrees, 1 something failed, 2 wrong use, 3 stopped before the end. Options of "
        "pytest: python -m pytest conformance.",
        allow_abbrev=False,
    )
    add = made.add_argument
    add("only", nargs="*", metavar="PATTERN", help="checks whose file, call or name has this text in it, or matches it")
    add("--quick", action="store_true", help="a sample that takes some seconds, one of forty")
    add(
        "--all",
        action="store_true",
        help="also the recorded programs and the pairs that show nothing beyond others, which a run of the model leaves "
        "out but for its sample",
    )
    add(
        "--sample",
        type=_natural,
        metavar="NUMBER",
        help="which sample --quick takes and a whole run begins with; any forty numbers in a row are the whole suite. By "
        "default the commit's number",
    )
    add("--jobs", type=_positive, metavar="N", help="processes at a time; by default one for each core")
    add(
        "--random",
        nargs="?",
        type=int,
        const=-1,
        metavar="SEED",
        help="draw more programs, from this seed or a new one",
    )
    add("--target", choices=TARGETS, default="recordings", help="what runs: the model and every recording, by default")
    add("--profile", default="h200-x2", help="the model's profile: a name or the path of a TOML file")
    add("--require-real", action="store_true", help="fail when --target needs a driver that is not there")
    add("--allow-multicast", action="store_true", help="make multicast calls on the real driver, too")
    add("--time-limit", type=_positive, metavar="SECONDS", help="stop then, and tell what was seen")
    add(
        "--resume",
        type=Path,
        metavar="FILE",
        help="write what was seen to this file; go on where it ends, if it is there",
    )
    add("--report", type=Path, metavar="FILE", help="write counts, failures and skips to this file, as JSON")
    add(
        "--html",
        type=Path,
        metavar="DIR",
        help="write what is known and what was seen to this folder, as pages; index.html is the first",
    )
    add("-x", "--exitfirst", action="store_true", help="stop at the first failure")
    return made


def _positive(text: str) -> int:
    return _at_least(1, text)


def _natural(text: str) -> int:
    return _at_least(0, text)


def _at_least(least: int, text: str) -> int:
    number = int(text)
    if number < least:
        msg = f"{number} is less than {least}"
        raise argparse.ArgumentTypeError(msg)
    return number


def pytest_arguments(options: argparse.Namespace) -> list[str]:
    """Return pytest's arguments: this package, without plugins and settings."""
    told = [str(SUITE), f"--confcutdir={SUITE}", f"--rootdir={SUITE.parent}", f"-c{os.devnull}", "-s", "--assert=plain"]
    told += [f"-pno:{name}" for name in UNUSED]
    told += ["-pconformance.runner.chance"]
    told += ["-pconformance.conftest"] if SUITE != conformance.SUITE else []
    told += [f"--target={options.target}", f"--profile={options.profile}"]
    told += [f"--{name.replace('_', '-')}" for name in ("require_real", "allow_multicast") if getattr(options, name)]
    told += [f"--only={pattern}" for pattern in options.only]
    return told + ([f"--random={options.random}"] if options.random is not None else [])


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Disable garbage collection in this block."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@contextlib.contextmanager
def isolated() -> Iterator[None]:
    """Remove the user's pytest plugins and options in this block."""
    kept = {name: os.environ.pop(name, None) for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")}
    kept["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    try:
        yield
    finally:
        for name, value in kept.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
