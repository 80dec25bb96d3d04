"""The sentences of the manual: each that demands or promises something is accounted for, by what there is."""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

import conformance
from conformance.kit.case import ENTRIES
from fakecuda.explain import ledger
from fakecuda.explain.evidence import file_of
from fakecuda.explain.ledger import sentences
from fakecuda.explain.ledger.sentences import Account
from fakecuda.rules.registry import DRIVER

ACCOUNTS = sentences.accounts()
RULES = {rule.id: rule for rule in ledger.rules()}
MANUAL = """cuA(int x)

Frees `x`, see :py:obj:`~.cuB()` (e.g. Vulkan). `x` must be NULL-
terminated.   Deprecated: not this.

- :py:obj:`~.CU_A`: It may
  differ

- Where 9.2 is.

Parameters
----------
x : int
    Reserved, must be zero
y : :py:obj:`~.CUy`
    Any

Returns
-------
CUresult
    :py:obj:`~.CUDA_SUCCESS`, :py:obj:`~.CUDA_ERROR_INVALID_VALUE`
z : int
    Returned z

See Also
--------
:py:obj:`~.cuC` must not be seen

Notes
-----
It fails. Where 9.2 is.
"""


@pytest.fixture
def _manual() -> None:
    """Ask for the documented version of the bindings."""
    try:
        sentences.of("cuInit")
    except LookupError as error:
        pytest.skip(str(error))


@cache
def cases() -> set[str]:
    """Return the ids of all conformance cases."""
    for module in pkgutil.walk_packages(conformance.__path__, f"{conformance.__name__}."):
        if module.name.rpartition(".")[2].startswith("test_"):
            importlib.import_module(module.name)
    return {case.id for entry in ENTRIES.values() for case in entry.singles()}


def matched(call: str, words: str) -> list[str]:
    """Return the sentences of a call in which these words stand; a whole sentence is itself alone."""
    return (
        [words] if words in sentences.of(call) else [sentence for sentence in sentences.of(call) if words in sentence]
    )


@pytest.mark.usefixtures("_manual")
def test_every_demanding_sentence_is_accounted_for() -> None:
    """A rule or a case holds the driver to it, or it is said why none does."""
    left = [
        f"{call}: {sentence!r} is not accounted for: [[sentence]] in {file_of(call)}"
        for call in ledger.modelled()
        for sentence in sentences.unaccounted(call)
    ]
    assert not left


@pytest.mark.usefixtures("_manual")
def test_every_account_is_of_one_sentence() -> None:
    """Words that stand in no sentence, or in two, account for nothing; a call accounts in the manual's order."""
    for call, accounts in ACCOUNTS.items():
        words = [one for account in accounts for one in account.says]
        lost = {one: matched(call, one) for one in words if len(matched(call, one)) != 1}
        assert not lost, f"{call}: words of one sentence each, in {file_of(call)}"
        twice = [one for one, times in Counter(matched(call, one)[0] for one in words).items() if times > 1]
        assert not twice, f"{call}: one account of each sentence, in {file_of(call)}"
        firsts = [sentences.of(call).index(matched(call, account.says[0])[0]) for account in accounts]
        assert firsts == sorted(firsts), f"{call}: the order of the manual, in {file_of(call)}"


def test_every_rule_and_case_named_exists() -> None:
    """A rule is one of the call's, or quotes the call's manual; a case may be another call's."""
    for call, accounts in ACCOUNTS.items():
        own = {rule.id for rule in RULES.values() if rule in DRIVER.ops[call].rules or rule.source.call == call}
        unknown = [by for account in accounts for by in account.by if by not in own and by not in cases()]
        assert not unknown, f"{call}: no rule of the call and no case: correct by in {file_of(call)}"


@pytest.mark.usefixtures("_manual")
def test_what_a_rule_quotes_is_held_by_it() -> None:
    """The sentence that a rule gives as its source is accounted for by that rule, among others."""
    wrong = []
    for rule in RULES.values():
        call = rule.source.call
        if "“" in ledger.cited(rule) and call in DRIVER.ops:
            found = matched(call, rule.source.quote.partition(" … ")[0])
            held = [one for one in ACCOUNTS[call] if rule.id in one.by]
            says = [words for one in held for words in one.says]
            if found and not any(w in one for w in says for one in found):
                wrong.append(f"{rule.id} is not among what holds {call} to {found[0]!r}: add it in {file_of(call)}")
    assert not wrong


def test_a_docstring_is_split_into_sentences() -> None:
    """Markup, hyphens at the end of a line, lists and sections; codes and what is seen also are left out."""
    assert sentences.split(MANUAL) == [
        "Frees x, see cuB() (e.g. Vulkan).",
        "x must be NULL-terminated.",
        "Deprecated: not this.",
        "CU_A: It may differ",
        "Where 9.2 is.",
        "Reserved, must be zero",
        "Any",
        "Returned z",
        "It fails.",
    ]


@pytest.mark.parametrize(
    ("sentence", "demands"),
    [
        ("Frees x.", True),
        ("Explicitly destroys x.", True),
        ("If x, y.", True),
        ("The pointer is also returned.", True),
        ("It cannot be.", True),
        ("This x.", False),
        ("Address of x", False),
        ("Returned x", False),
        ("Notable x", False),
    ],
)
def test_what_demands(sentence: str, demands: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A verb in the third person at the start says what a call does; other words demand anywhere."""
    assert sentences.demanding(sentence) is demands


def test_every_word_demands_by_itself() -> None:
    """None needs another beside it."""
    words = (
        "must shall should will would may can cannot could has~to have~to need~to needs~to are~to imperative only unless "
        "responsible responsibility until if when once never always not no return returns undefined illegal invalid valid "
        "require requires required restricted limitations supported fail fails failed ensure ensures guarantee guarantees "
        "guaranteed at~most at~least up~to without automatically immediately safe ignored optional set~to result~in "
        "implies equivalent unique equal aligned become becomes creates include includes side~effect"
    )
    silent = [word for word in words.split() if not sentences.demanding(f"x {word.replace('~', ' ')} y")]
    assert not silent
    passive = [f"x {verb} returned" for verb in ("is", "are", "be", "been", "was", "were")]
    assert all(map(sentences.demanding, passive))


def test_what_an_account_consists_of() -> None:
    """What holds the driver to it comes first."""
    accounts = [Account(("a",), ("r",), beyond="d"), Account(("b",), beyond="d"), Account(("c",), describes="f")]
    assert [account.kind for account in accounts] == ["by", "beyond", "describes"]


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its docstrings may say something else."""
    monkeypatch.setattr(sentences, "version", lambda: "13.0.0")
    with pytest.raises(LookupError, match=r"from cuda-bindings 13\.0\.0.*pip install cuda-bindings==13\.0\.0"):
        sentences.of.__wrapped__("cuInit")


@pytest.mark.usefixtures("_manual")
def test_the_command_counts() -> None:
    """It tells how many sentences there are and how they stand, and succeeds when none is left."""
    command = [sys.executable, "-m", "fakecuda.explain.ledger", "--sentences"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == f"{sentences.summary()}\n"
    assert done.stdout.endswith("0 not accounted for)\n")
    assert done.returncode == 0
