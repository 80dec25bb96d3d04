"""Lanes, which run slices one at a time on a group of GPUs by helper processes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.fleet.helper import AT, CHECKS, DONE, LIST, PLAIN, READY
from conformance.fleet.slices import RECHECK, SUITE, Slice

if TYPE_CHECKING:
    from collections.abc import Mapping

STUCK = 300.0
"""Seconds without a message after which a helper is ended."""
STARTING = 120.0
"""Seconds for a helper to start."""
OFTEN = 1.0
"""Seconds between checks that a helper is alive."""
DEATHS = 5
"""Deaths of helpers in one slice after which the rest is left to another helper."""


class CannotStartError(Exception):
    """The lane cannot start helpers; the text says why."""


class SliceFailedError(Exception):
    """A slice raised an exception; the text describes it."""


class _DiedError(Exception):
    """A helper died; the text says how."""


@define(eq=False)
class _Helper:
    """A helper process, from the view of its lane."""

    process: subprocess.Popen[bytes]
    line: Connection
    at: int = -1

    def ask(self, message: object, stuck: float) -> Any:
        """Send a message, and return the answer.

        Raises:
            SliceFailedError: It raised something.
            _DiedError: The helper has died, or was stuck and is ended.
        """
        self.at = -1
        try:
            self.line.send(message)
            while self._speaks(stuck):
                word, content = self.line.recv()
                if word == AT:
                    self.at = content
                elif word in {DONE, READY}:
                    return content
                else:
                    raise SliceFailedError(content)
        except OSError:
            pass  # it has died, or its lane was closed
        except EOFError:
            pass
        else:
            self.kill()
            msg = f"was ended, since nothing was heard of it for {stuck:.0f} s"
            raise _DiedError(msg)
        status = self.process.wait()
        how = f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"
        raise _DiedError(how)

    def _speaks(self, stuck: float) -> bool:
        """Wait for a message; return whether one came before the helper died.

        Raises:
            EOFError: It has died.
        """
        end = time.monotonic() + stuck
        while time.monotonic() < end:
            dead = self.process.poll() is not None
            if self.line.poll(0 if dead else min(OFTEN, stuck)):
                return True
            if dead:
                raise EOFError
        return False

    def kill(self) -> None:
        """Kill the helper and its children."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """Kill the helper, and close its pipe."""
        self.kill()
        self.line.close()


@define(eq=False)
class Lane:
    """Runs one slice at a time.

    Attributes:
        environ: What helpers have in their environment beside this process's.
        stuck: Seconds without a word after which a helper is ended.
    """

    environ: Mapping[str, str] = field(factory=dict)
    stuck: float = STUCK
    _helpers: dict[tuple[str, ...], _Helper] = field(factory=dict, init=False)

    def run(self, one: Slice, given: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Run a slice; return its results, with the items that killed helpers (``lost``).

        Args:
            one: The slice.
            given: What it is told beside.
            seconds: How long it has.

        Raises:
            CannotStartError: No helper begins.
            SliceFailedError: The slice raised something.
        """
        end = time.monotonic() + seconds
        lost: dict[int, str] = {}
        role = CHECKS if one.kind in {SUITE, RECHECK, LIST} else PLAIN
        while len(lost) < DEATHS:
            places = [place for place in range(one.size) if place not in lost]
            if one.items and not places:
                break
            left = max(0.0, end - time.monotonic())
            message = {"kind": one.kind, "items": one.without(lost).items, "shared": given["shared"], "seconds": left}
            helper = self._helper(role, given["card"])
            try:
                result = helper.ask(message, self.stuck)
            except _DiedError as death:
                self._drop(helper)
                if helper.at < 0:
                    msg = f"its helper {death}, between two items"
                    raise SliceFailedError(msg) from death
                lost[places[helper.at]] = str(death)
                continue
            return {**_placed(result, places), "lost": sorted(lost.items())}
        return {"left": [place for place in range(one.size) if place not in lost], "lost": sorted(lost.items())}

    def _helper(self, role: str, card: dict[str, Any]) -> _Helper:
        key = (role, card["target"], card["profile"], card["text"], *card["planted"])
        if key not in self._helpers:
            if len(self._helpers) > 1:  # each holds processes of the card
                self.close()
            self._helpers[key] = self._start({**card, "role": role})
        return self._helpers[key]

    def _start(self, card: dict[str, Any]) -> _Helper:
        ours, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - this Python, on this package
                [sys.executable, "-m", "conformance.fleet.helper", str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                env={**os.environ, **self.environ},
                start_new_session=True,  # Ctrl-C is for who started it
            )
        helper = _Helper(process, Connection(ours.detach()))
        try:
            helper.ask(card, STARTING)
        except (_DiedError, SliceFailedError) as error:
            helper.close()
            msg = f"no helper begins: {error}"
            raise CannotStartError(msg) from error
        return helper

    def _drop(self, helper: _Helper) -> None:
        helper.close()
        self._helpers = {key: one for key, one in self._helpers.items() if one is not helper}

    def close(self) -> None:
        """Close the helpers."""
        for helper in self._helpers.values():
            helper.close()
        self._helpers.clear()


PLACED = ("left",)
FIRST = ("failed", "lacks")


def _placed(result: dict[str, Any], places: list[int]) -> dict[str, Any]:
    """Return results of some of a slice's items, with their indices in the slice."""
    told = dict(result)
    for name in PLACED:
        if name in told:
            told[name] = [places[place] for place in told[name]]
    for name in FIRST:
        if name in told:
            told[name] = [[places[place], *rest] for place, *rest in told[name]]
    if "names" in told:
        told["names"] = {str(places[place]): name for place, name in told["names"].items()}
    return told
