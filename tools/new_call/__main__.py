"""``python -m tools.new_call CALL [--chapter CHAPTER]``, in the root of a checkout."""

from __future__ import annotations

import argparse
import sys

from tools.new_call.plan import Refused, plan
from tools.new_call.remaining import remaining
from tools.new_call.steps import STEPS, StepError, written
from tools.new_call.undo import undone

INTERRUPTED = 130
"""The exit status after Ctrl-C, as a shell has it."""


def main(arguments: list[str] | None = None) -> int:
    """Begin a call; return the exit status: 1 if the call is not begun, and the tree is as it was."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.new_call",
        description="Begin a call that is described and not modelled. If a step fails, the tree is left as it was.",
    )
    parser.add_argument(
        "call", help="the call, cuTexRefCreate, cudaExecutionCtxDestroy, hipFreeArray or nvmlUnitGetUnitInfo"
    )
    parser.add_argument(
        "--chapter", default="", help="the folder of its rules; default: its chapter in tools/chapters.toml"
    )
    options = parser.parse_args(arguments)
    try:
        made = plan(options.call, options.chapter)
        with undone(written(made)):
            for step in STEPS:
                for line in filter(None, step(made)):
                    print(line, flush=True)
    except Refused as refused:
        print(refused)
        return 1
    except StepError as error:
        print(f"{options.call} is not begun, and the tree is as it was: {error}")
        return 1
    except KeyboardInterrupt:
        print(f"{options.call} is not begun, and the tree is as it was: interrupted")
        return INTERRUPTED
    print()
    print("\n".join(remaining(made)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
