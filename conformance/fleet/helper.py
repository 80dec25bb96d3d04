"""A helper process, which makes the calls of slices and may die of them.

It is told by a pipe what stands for the card, says that it is ready, and takes slices until the pipe is closed. It says
which item of a slice it begins, so that whoever waits knows during which it died.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.fleet.handlers import Helper

READY, AT, DONE, FAILED = "ready", "at", "done", "failed"
"""Messages of a helper: it is ready, begins an item, has a result, or has failed."""
PLAIN, CHECKS = "plain", "checks"
"""Kinds of helpers."""
LIST = "list"
"""The message that requests the list of checks."""


def main(arguments: list[str]) -> None:
    """Serve until the pipe is closed.

    Args:
        arguments: The number of the pipe's descriptor.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    descriptor = int(arguments[0])
    _end_with(descriptor)
    os.set_inheritable(descriptor, False)
    line = Connection(descriptor)
    os.dup2(2, 1)  # whatever is printed is no answer
    try:
        from conformance.fleet.handlers import Helper  # noqa: PLC0415 - what watches it needs none of that

        given = line.recv()
        helper = Helper(given)
        if given["role"] == CHECKS:
            _serve_checks(line, helper)
        else:
            line.send((READY, None))
            _serve(
                line, lambda one, begin: helper.handle(one["kind"], one["items"], one["shared"], begin, one["seconds"])
            )
    except (EOFError, ConnectionError):
        pass
    except Exception:  # noqa: BLE001 - who started it tells it
        line.send((FAILED, traceback.format_exc(limit=-4)))
    os._exit(0)  # what a driver left behind does not matter any more


def _end_with(line: int) -> None:
    """Kill this process and its children when the other end of the pipe closes.

    A thread would be one that could wake who waits in a model.

    Args:
        line: The descriptor of the pipe.
    """
    alive, ours = os.pipe()
    if os.fork():
        os.close(alive)
        return  # the other end is open for as long as this process lives
    os.close(ours)
    watched = select.poll()
    watched.register(line, select.POLLRDHUP)
    watched.register(alive, 0)
    watched.poll()
    os.killpg(0, signal.SIGKILL)


def _serve_checks(line: Connection, helper: Helper) -> None:
    """Collect the suite, and serve."""
    from conformance.fleet.checks import Suite  # noqa: PLC0415 - the search needs no pytest

    def serve(suite: Suite) -> None:
        line.send((READY, None))
        _serve(line, lambda one, begin: _checked(suite, one, begin))

    Suite(helper.target() if helper.given["profile"] else None, serve).run()


def _checked(suite: Any, one: dict[str, Any], begin: Callable[[int], None]) -> dict[str, Any]:
    if one["kind"] == LIST:
        return {"listing": suite.listing()}
    found: dict[str, Any] = suite.handle(one["items"], begin, one["seconds"], widest=one["shared"].get("widest", 1))
    return found


def _serve(line: Connection, handle: Callable[[dict[str, Any], Callable[[int], None]], dict[str, Any]]) -> None:
    """Run slices until the pipe is closed; report exceptions as answers."""

    def begin(place: int) -> None:
        line.send((AT, place))

    try:
        while True:
            one = line.recv()
            try:
                line.send((DONE, handle(one, begin)))
            except (EOFError, ConnectionError):
                raise
            except Exception:  # noqa: BLE001 - one slice's mistake is not the others'
                line.send((FAILED, traceback.format_exc(limit=-4)))
    except (EOFError, ConnectionError):
        return


if __name__ == "__main__":
    main(sys.argv[1:])
