"""Each command that is used wrongly ends with status 2 and a line on stderr that says why; no traceback."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
USAGE = 2
INTERNAL = {
    "conformance.fleet.helper": "a process that the fleet starts, with the number of a pipe",
    "fakecuda.prompt.console": "its text has the words __main__; it is no command",
    "fakecuda.sharing.hook": "the old name of python -m fakecuda hook",
    "fakecuda.reach.remote.client.start": "what an attached process is started with",
}
"""Internal modules that no user runs, with the reasons."""


def commands() -> Iterator[str]:
    """Yield the modules that are run as commands."""
    for package in ("fakecuda", "conformance"):
        for file in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            if "__main__" in file.read_text() and name not in INTERNAL and hasattr(import_module(name), "main"):
                yield name


COMMANDS = list(commands())
WRONG = {
    "fakecuda.__main__": [
        ["nonsense"],
        ["rules", "cuNothing"],
        ["rules", "cuInit", "--forms"],
        ["rules", "--forms", "--evidence", "704"],
        ["rules", "--evidence", "nothing_like_it"],
        ["profiles", "nope"],
        ["profiles", "/nonexistent.toml"],
        ["doctor"],
        ["doctor", "/nonexistent.so"],
        ["doctor", "nothing-like-it"],
        ["smi", "--profile", "nope"],
        ["smi", "x"],
        ["--profile", "nope"],
        ["--profile", "/nonexistent.toml"],
        ["serve", "--", "/nonexistent"],
        ["serve", "--", "/etc"],
        ["serve", "--", "/etc/passwd"],
        ["--profile", "nope", "serve", "--", "true"],
        ["conform", "--seed", "x"],
        ["conform", "--target=none"],
    ],
    "conformance.record.replay": [["/nonexistent"], ["--only", "nothing-like-it"]],
    "conformance.search.__main__": [["--resume", "/nonexistent"]],
    "conformance.fleet.__main__": [["--resume", "/nonexistent"]],
    "conformance.fuzz.frames": [["nothing-like-it"]],
    "conformance.fuzz.interrupts": [["nothing-like-it"]],
    "conformance.fuzz.limits": [["nothing-like-it"]],
    "conformance.fuzz.shortage": [["nothing-like-it"]],
    "conformance.fuzz.signals": [["nothing-like-it"]],
    "conformance.fuzz.controls": [["nothing-like-it"]],
    "conformance.mutate.__main__": [["nothing-like-it"]],
    "conformance.record.experiments": [["nothing-like-it"]],
}
"""Wrong arguments of commands, besides unknown options and bad numbers."""


class SeenError(Exception):
    """Carries the parser of a command, which parses nothing."""


def used(monkeypatch: pytest.MonkeyPatch, name: str, arguments: list[str]) -> object:
    """Run a command in this process; return its exit status."""
    monkeypatch.setattr(sys, "argv", [name, *arguments])
    try:
        return import_module(name).main()
    except SystemExit as ended:
        return ended.code


def wrong(monkeypatch: pytest.MonkeyPatch, name: str) -> list[list[str]]:
    """Return arguments that a command refuses: an unknown option, and no number for each that is one."""

    def seen(parser: argparse.ArgumentParser, *_: Any, **__: Any) -> None:
        raise SeenError(parser)

    with monkeypatch.context() as patched:
        patched.setattr(argparse.ArgumentParser, "parse_args", seen)
        patched.setattr(argparse.ArgumentParser, "parse_known_args", seen)
        with pytest.raises(SeenError) as caught:
            used(patched, name, [])
    actions = caught.value.args[0]._actions
    numbers = [one.option_strings[0] for one in actions if one.type in {int, float} and one.option_strings]
    choices = [one.option_strings[0] for one in actions if one.choices and one.option_strings]
    return [["--no-such-option"], *([option, "neither"] for option in numbers + choices), *WRONG.get(name, [])]


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_use(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str) -> None:
    """Of each kind: unknown options, no numbers, names and files that are not there."""
    for arguments in wrong(monkeypatch, name):
        status = used(monkeypatch, name, arguments)
        told = capsys.readouterr().err
        assert status == USAGE, (arguments, status, told)
        assert told.strip(), arguments
        assert "Traceback" not in told, arguments


def test_commands_are_found() -> None:
    """Those that this test leaves out are there, and no person uses them."""
    assert {"fakecuda.__main__", "conformance.fuzz.garbage", "conformance.search.__main__"} <= set(COMMANDS)
    assert WRONG.keys() <= set(COMMANDS)
    for name in INTERNAL:
        assert (ROOT / f"{name.replace('.', '/')}.py").exists()


def test_a_command_that_takes_anything_is_found(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A main that leaves its arguments unread."""
    from conformance.fuzz import threads  # noqa: PLC0415 - one of them

    monkeypatch.setattr(threads, "main", lambda: 0)
    with pytest.raises(BaseException, match="DID NOT RAISE"):
        test_wrong_use(monkeypatch, capsys, "conformance.fuzz.threads")
