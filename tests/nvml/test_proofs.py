"""Each rule of NVML is broken, and kept, by every call that checks it: the tests beside this one do it, or the recording."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from conformance.record.nvml import proofs, replay
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.rules.registry import NVML, every_rule

ROOT = Path(__file__).parents[2]
TOLD = "from conformance.record.nvml.proofs import unproven; print(*unproven(), sep='\\n')"


@pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
def test_every_rule_is_broken_and_kept() -> None:
    """In a process of its own, for other tests run in it."""
    ran = subprocess.run([sys.executable, "-c", TOLD], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.stderr == ""
    assert ran.stdout.split() == [], "add a test to tests/nvml that breaks the rule in the call, and one that keeps it"


def test_the_tests_named_are_there() -> None:
    """Where they are not, nothing would be proven."""
    assert all((proofs.TESTS / name).is_file() for name in proofs.NAMES)


@pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
def test_cards_were_heard() -> None:
    """Of most rules a recorded card has shown the answer, each told once."""
    told = replay.heard()
    assert len(set(told)) == len(told)
    rules = {rule.id for rule in every_rule(NVML)}
    assert {rule for rule, *_ in told} <= rules
    assert len({rule for rule, *_ in told}) > len(rules) // 2
