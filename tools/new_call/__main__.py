"""The command ``python -m tools.new_call CALL [--chapter CHAPTER]``.

Run it in the root of a checkout.
"""

from __future__ import annotations

import argparse
import sys

from tools.new_call.plan import Refused, plan
from tools.new_call.remaining import remaining
from tools.new_call.steps import STEPS, StepError, written
from tools.new_call.undo import undone

INTERRUPTED = 130
"""The exit status after Ctrl-C, as in a shell."""


def main(arguments: list[str] | None = None) -> int:
    """Start a call.

    Return the exit status: 1 if the call is not started and the tree is unchanged.
    """
    parser = argparse.ArgumentParser(
        prog="python -m tools.new_call",
        description="Start a call that is described but not modelled. If a step fails, the tree is left unchanged.",
    )
    parser.add_argument(
        "call", help="the call, such as cuTexRefCreate, cudaExecutionCtxDestroy, hipFreeArray or nvmlUnitGetUnitInfo"
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
        print(f"{options.call} is not started, and the tree is unchanged: {error}")
        return 1
    except KeyboardInterrupt:
        print(f"{options.call} is not started, and the tree is unchanged: interrupted")
        return INTERRUPTED
    print()
    print("\n".join(remaining(made)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
