"""``fakecuda rules --evidence``: which rules a text means, and what is told of them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from fakecuda import __main__ as command
from fakecuda.prompt.evidence import Evidence, answers, evidence_text, select
from fakecuda.rules.registry import EVERY_OP
from tests import warm

ROOT = Path(__file__).parents[2]
DRIVERS, HIPS = "peer.ctx_enable_peer_access.PEER_IS_NOT_ENABLED", "hip.peer.PEER_IS_NOT_ENABLED"
TWICE = {DRIVERS, HIPS}
"""Rules of three APIs on repeated peer access; the runtime checks the driver's."""


END = "\f"
COMMANDS = f"""
import json, sys
from fakecuda import __main__ as command
for arguments in json.load(sys.stdin):
    assert command.main(["rules", *arguments]) == 0
    print(end={END!r}, flush=True)
"""
ASKED = {
    "twice": ("--json", "--evidence", "PEER_ACCESS_ALREADY_ENABLED"),
    "left": ("--evidence", "CONNECTIONS_ARE_LEFT"),
    "nvml": ("--json", "--evidence", "nvml.handle.BUS_ID_IS_FOUND"),
    "nvml as text": ("--evidence", "nvml.rights.USER_IS_ROOT"),
}


@pytest.fixture(scope="module")
def told() -> dict[str, str]:
    """Return what commands print; one process makes all, for each would read the whole suite."""
    line, environ = [sys.executable, "-c", COMMANDS], os.environ | {"COLUMNS": "200"}
    done = warm.run(line, cwd=ROOT, env=environ, input=json.dumps([*ASKED.values()]), ends=False)
    assert (done.returncode, done.stderr) == (0, "")
    return dict(zip(ASKED, done.stdout.split(END), strict=False))


@pytest.fixture(scope="module")
def twice(told: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Return by rule id what one command tells of peer access that is enabled twice."""
    return {answer["id"]: answer for answer in json.loads(told["twice"])}


@pytest.mark.parametrize(
    "text",
    [
        "PEER_ACCESS_ALREADY_ENABLED",
        "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED",
        "cudaErrorPeerAccessAlreadyEnabled",
        "hipErrorPeerAccessAlreadyEnabled",
        "704",
        "peer access already enabled",
        "PEER_IS_NOT_ENABLED",
        "*.PEER_IS_NOT_ENABLED",
    ],
)
def test_one_text_means_the_rules_of_all_apis(text: str) -> None:
    """A code by name or number, words, the constant, or a pattern."""
    assert {rule.id for rule in select(text)} == TWICE


def test_what_is_noted_of_a_rule_is_told_with_its_page(twice: dict[str, dict[str, Any]]) -> None:
    """Also where the suite is not installed: the files of evidence ship with fakecuda."""
    assert twice[HIPS]["page"] == "docs/rules/hip/peer.md#hip.peer.PEER_IS_NOT_ENABLED"
    known = dict(twice[DRIVERS]["known"])
    assert known["driver"].startswith("580 answers `PEER_ACCESS_ALREADY_ENABLED`")


def test_an_id_means_one_rule() -> None:
    """So that nothing else is looked for."""
    assert [rule.id for rule in select(DRIVERS)] == [DRIVERS]
    assert [rule.id for rule in select("ctx_enable_peer_access.peer_is_not")] == [DRIVERS]


def test_words_stand_in_the_statement() -> None:
    """In any order; other rules with the words are there, too."""
    assert {rule.id for rule in select("peer access is enabled")} > TWICE


def test_the_code_of_a_higher_api() -> None:
    """A number that an API alone has means its rules; they are found by its name, too."""
    found = select("hipErrorInvalidDevicePointer")
    assert found == select("17")
    assert found
    assert all(rule.id.startswith("hip.") for rule in found)


@pytest.mark.parametrize(
    ("text", "said"), [("xyzzy", "selects no rule: write an id"), ("", "no rule"), ("*", "more than 30")]
)
def test_what_means_no_rule_is_told(text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In a line that says what to write; the status is 2."""
    assert command.main(["rules", "--evidence", text]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert said in err


def test_a_call_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    """The two ways to ask are told apart."""
    assert command.main(["rules", "cuMemMap", "--evidence", "704"]) == 2
    assert "leave it out" in capsys.readouterr().err


def test_every_call_that_checks_a_rule(twice: dict[str, dict[str, Any]]) -> None:
    """In each API, the inherited ones as well, with its own code."""
    assert twice.keys() == TWICE
    driver, hip = twice[DRIVERS], twice[HIPS]
    assert driver["calls"] == {
        "driver": {"cuCtxEnablePeerAccess": "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED (704)"},
        "runtime": {"cudaDeviceEnablePeerAccess": "cudaErrorPeerAccessAlreadyEnabled (704)"},
        "hip": {},
        "nvml": {},
        "forms": {},
    }
    assert hip["calls"]["hip"] == {"hipDeviceEnablePeerAccess": "hipErrorPeerAccessAlreadyEnabled (704)"}
    assert (driver["grade"], hip["grade"]) == ("manual", "hip-tests")


def test_its_proof_in_every_api(twice: dict[str, dict[str, Any]]) -> None:
    """Each case stands where it is said to: by its rule, its name, or the call."""
    found = {
        (proof["call"], proof["name"]): proof["place"]
        for answer in twice.values()
        for proof in answer["evidence"]["proofs"]
    }
    wanted = {
        ("cuCtxEnablePeerAccess", "cuCtxEnablePeerAccess[PEER_IS_NOT_ENABLED]"): '"PEER_IS_NOT_ENABLED"',
        ("cudaDeviceEnablePeerAccess", "cudaDeviceEnablePeerAccess[twice]"): '"twice"',
        ("cudaDeviceEnablePeerAccess", "cudaDeviceEnablePeerAccess[by-the-driver-API]"): '"by the driver API"',
        (
            "hipDeviceEnablePeerAccess",
            "hipDeviceEnablePeerAccess[PEER_IS_NOT_ENABLED]",
        ): '"PEER_IS_NOT_ENABLED"',
    }
    assert found.keys() >= wanted.keys()
    for case, text in wanted.items():
        assert text in _line(found[case])


def test_where_it_is_declared(twice: dict[str, dict[str, Any]]) -> None:
    """The line of the constant."""
    for answer in twice.values():
        assert _line(answer["place"]).startswith("PEER_IS_NOT_ENABLED = Rule(")


def test_its_recordings_and_mutants(twice: dict[str, dict[str, Any]]) -> None:
    """Drivers answered the code to both calls; AMD's library did so on an emulated card, and there is a reason why chance does not get there."""
    driver, hip = twice[DRIVERS]["evidence"], twice[HIPS]["evidence"]
    assert {one["call"] for one in driver["heard"]} == {"cuCtxEnablePeerAccess", "cudaDeviceEnablePeerAccess"}
    assert {one["code"] for one in driver["heard"]} == {704}
    assert driver["left"] == 0
    assert {(one["call"], one["code"]) for one in hip["heard"]} == {("hipDeviceEnablePeerAccess", 704)}
    assert (driver["mutants"], hip["mutants"]) == (2, 2)
    assert [kind for kind, _ in hip["known"]] == ["drawn programs do not break it", "exhibit of the museum"]
    assert hip["known"][-1][1] == "tools/museum/exhibits/stale_last_error.py"


def test_its_fix_and_the_manuals_sentences(twice: dict[str, dict[str, Any]]) -> None:
    """A rule of AMD's library has no sentence of a manual."""
    assert twice[DRIVERS]["fix"] == "enable access to a peer once for each context"
    assert list(twice[DRIVERS]["sentences"]) == ["cuCtxEnablePeerAccess: “CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED”"]
    assert list(twice[HIPS]["sentences"]) == []


def test_it_is_text_for_people(told: dict[str, str]) -> None:
    """A test function is named where no case can name the rule: too many devices for any card."""
    text = told["left"]
    assert text.startswith("peer.connection.CONNECTIONS_ARE_LEFT\n")
    assert "runtime calls  cudaDeviceEnablePeerAccess, cudaIpcOpenMemHandle: cudaErrorTooManyPeers (711)" in text
    assert "test_ctx_enable_peer_access.py:" in text
    assert " test_connections_are_left\n" in text
    assert "recordings     none\n" in text


def test_without_the_suite(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What the product knows is printed, and what to install for the rest."""
    monkeypatch.setattr(command, "_missing", lambda: "pytest: pip install pytest")
    assert command.main(["rules", "--evidence", "704"]) == 0
    out, err = capsys.readouterr()
    assert err == "fakecuda: cases, recordings and mutants need pytest: pip install pytest\n"
    assert "cudaDeviceEnablePeerAccess" in out
    assert " cases " not in out


def test_every_rule_is_told_of_by_its_id() -> None:
    """An id is never a part of what else a text may mean."""
    for rule in {rule for op in EVERY_OP.values() for rule in op.rules}:
        assert select(rule.id) == [rule]


def test_a_rule_of_nvml(told: dict[str, str]) -> None:
    """By its id, or by NVML's name of the code, which is no other API's; with the case that breaks it and the cards' answer."""
    [answer] = json.loads(told["nvml"])
    assert answer["calls"]["nvml"]["nvmlDeviceGetHandleByPciBusId_v2"] == "NVML_ERROR_NOT_FOUND (6)"
    assert answer["page"] == "docs/rules/nvml/handle.md#nvml.handle.BUS_ID_IS_FOUND"
    proofs = {proof["call"]: proof["place"] for proof in answer["evidence"]["proofs"]}
    assert proofs.keys() == answer["calls"]["nvml"].keys()
    assert '.breaks("BUS_ID_IS_FOUND"' in _line(proofs["nvmlDeviceGetHandleByPciBusId_v2"])
    assert [one["program"] for one in answer["evidence"]["heard"]] == ["nvml/handles", "nvml/handles"]
    found = {rule.id for rule in select("NVML_ERROR_NOT_FOUND")}
    assert answer["id"] in found
    assert all(name.startswith("nvml.") for name in found)
    assert not any(rule.id.startswith("nvml.") for rule in select("CUDA_ERROR_NOT_PERMITTED"))


def test_a_rule_of_nvml_is_text_for_people(told: dict[str, str]) -> None:
    """Other APIs, and mutants, are left out; of what was not recorded it says so."""
    text = told["nvml as text"]
    assert "\n  nvml cases     conformance/cases/nvml/test_refused.py:" in text
    assert "\n  recordings     none\n" in text
    assert "driver calls" not in text
    assert "mutants" not in text


def _line(place: str) -> str:
    """Return the line of a place, with the one behind it."""
    file, _, number = place.rpartition(":")
    lines = (ROOT / file).read_text().splitlines()
    return "\n".join(lines[int(number) - 1 : int(number) + 1])


def test_only_what_is_hips_alone_lacks_a_card() -> None:
    """A rule that no operation has for its own is recorded nowhere, and not for want of an AMD card."""
    for name, why in (
        ("stream.race.ACCESSES_ARE_ORDERED", ""),
        (HIPS, ": AMD's library was not asked; see the source"),
    ):
        [rule] = select(name)
        text = evidence_text(answers([rule], {rule.id: Evidence()}), 200)
        assert f"\n  recordings     none{why}\n" in text
