"""The lists of ``python -m fakecuda rules``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

USAGE = 2
"""The exit status for wrong usage."""


def rules(options: argparse.Namespace) -> int:
    """List the rules of a call, or of all calls; return the command's status."""
    from fakecuda.prompt.rules import rules_of, rules_text  # noqa: PLC0415 - the other lists do not need it

    try:
        rows = rules_of(options.function)
    except LookupError as error:
        print(f"fakecuda: {error}", file=sys.stderr)
        return USAGE
    print(
        json.dumps([row.as_json() for row in rows], indent=1, ensure_ascii=False) if options.json else rules_text(rows)
    )
    sys.stdout.flush()
    return 0


def hip(options: argparse.Namespace) -> int:
    """List AMD's evidence for the rules of HIP calls; return the exit status."""
    if other := options.function or options.evidence or ("--forms" if options.forms else ""):
        print(f"fakecuda: --hip lists the rules of HIP: leave out {other}", file=sys.stderr)
        return USAGE
    from fakecuda.prompt.hip_rules import hip_rules, hip_text  # noqa: PLC0415 - the other lists do not need it

    found = hip_rules()
    print(json.dumps(found, indent=1) if options.json else hip_text(found))
    sys.stdout.flush()
    return 0


def forms(options: argparse.Namespace) -> int:
    """List the older forms of calls; return the command's status."""
    if other := options.function or options.evidence:
        print(f"fakecuda: --forms lists all forms: leave out {other}", file=sys.stderr)
        return USAGE
    from fakecuda.prompt.forms import forms_of, forms_text  # noqa: PLC0415 - the other lists do not need it

    forms = forms_of()
    print(json.dumps(forms, indent=1) if options.json else forms_text(forms))
    sys.stdout.flush()
    return 0
