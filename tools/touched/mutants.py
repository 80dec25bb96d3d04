"""Breaks the rules of the touched calls, one at a time.

Their cases and recordings must notice it. ``python -m tools.touched.mutants PLAN OUT``. A mutant that only other cases
notice survives here; the whole hunt decides.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance import SUITE
from conformance.mutate import survivors
from conformance.mutate.mutants import QUIET, SURVIVED, Hunt
from conformance.mutate.mutation import every_mutant

NO_CASE = "no case of the call notices this mutant: add one"
NO_RECORDING = (
    "no recorded answer shows this code: record the rule's case on a card (python -m conformance.record), or say in a "
    "[[survivor]] of the chapter's evidence that no card was asked yet"
)
"""A case cannot notice another code, because it takes the code from the rule."""


def run(plan: dict[str, Any]) -> dict[str, Any]:
    """Hunt the mutants of a plan's calls.

    Return the unexplained survivors, and the number of mutants.
    """
    known = every_mutant()
    chosen = [one for one in known if one.call in plan["calls"]]
    hunt = Hunt(chosen, plan["jobs"])
    pytest.main([*QUIET, str(SUITE), *(f"--only={call}" for call in plan["calls"])], plugins=[hunt])
    explained = survivors.load(known)
    failures = [{"name": "mutants", "text": text, "command": "python -m fakecuda conform"} for text in hunt.failed]
    failures += [
        {
            "name": str(mutant),
            "text": NO_RECORDING if mutant.kind == "code" else NO_CASE,
            "command": f"python -m conformance.mutate --only {mutant.call}",
        }
        for mutant, end in hunt.ends.items()
        if end == SURVIVED and mutant not in explained
    ]
    return {"failures": failures, "count": len(chosen)}


if __name__ == "__main__":
    Path(sys.argv[2]).write_text(json.dumps(run(json.loads(Path(sys.argv[1]).read_text()))))
