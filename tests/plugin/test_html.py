"""``--fakecuda-html``: one page a session, with what is known of each test, whoever ran it and however the session ended."""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest

from .conftest import ALIKE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugin.conftest import Suite

TESTS = """
    import pytest
    from cuda.bindings import driver as d

    def use():
        d.cuInit(0), d.cuCtxSetCurrent(d.cuDevicePrimaryCtxRetain(0)[1])

    def test_refused(fakecuda):
        use()
        print("<what it printed>")
        assert d.cuMemAlloc(0)[0] == 0

    def test_twice(fakecuda):
        use()
        event = d.cuEventCreate(0)[1]
        d.cuEventDestroy(event)
        try:
            d.cuEventDestroy(event)
        except Exception:
            pass

    @pytest.mark.fakecuda(leaks="error")
    def test_left(fakecuda):
        use()
        d.cuMemAlloc(1 << 20)

    @pytest.mark.fakecuda(errors="error")
    def test_unexpected(fakecuda):
        use()
        d.cuMemAlloc(0)

    @pytest.fixture
    def broken(fakecuda):
        use()
        assert d.cuMemAlloc(0)[0] == 0

    def test_of_a_broken_fixture(broken):
        pass

    @pytest.mark.skip(reason="for no reason")
    def test_skipped():
        pass

    def test_passes(fakecuda):
        d.cuInit(0)

    def test_passes_with_a_leak(fakecuda):
        use()
"""


def told_in(folder: Path) -> dict[str, tuple[str, str, str]]:
    """Return by test its outcome, what it has besides, and its whole text, of the page in a folder."""
    page = (folder / "index.html").read_text()
    found = {}
    for part in page.split('<div id="tests">')[1].split('<p id="none"')[0].split('data-outcome="')[1:]:
        outcome = part.partition('"')[0]
        tags = re.match(r'\w+" data-tags="([^"]*)"', part)
        name = re.findall(r"<b>(\w+)", part)[0]
        found[name] = outcome, tags[1] if tags else "", unescape(re.sub(r"<[^>]+>", "", part))
    return found


@pytest.mark.parametrize(
    "options",
    [
        pytest.param((), marks=ALIKE, id="alone"),
        pytest.param(("-n", "2"), marks=ALIKE, id="workers"),
        pytest.param(("--fakecuda-shared",), marks=ALIKE, id="shared"),
        pytest.param(("--fakecuda-shared", "-n", "2"), id="shared-workers"),
    ],
)
def test_a_page_has_what_is_known_of_each_test(suite: Suite, options: tuple[str, ...]) -> None:
    """Outcomes, findings, refused calls, leaks, the calls before a failure, and a picture of the machine then."""
    suite.write(test_it=TESTS)
    outcome = suite.run("--fakecuda-html", "out/pages", *options)
    assert f"the page of the session is {suite.folder / 'out' / 'pages' / 'index.html'}" in outcome.out
    page = (suite.folder / "out" / "pages" / "index.html").read_text()
    found = told_in(suite.folder / "out" / "pages")
    retain = "" if "--fakecuda-shared" in options else " left"
    assert {name: (ended, tags) for name, (ended, tags, _) in found.items()} == {
        "test_refused": ("failed", f"refused{retain}"),
        "test_twice": ("failed", f"findings{retain}"),
        "test_left": ("error", "left"),
        "test_unexpected": ("failed", f"refused{retain}"),
        "test_of_a_broken_fixture": ("error", f"refused{retain}"),
        "test_skipped": ("skipped", ""),
        "test_passes": ("passed", ""),
        "test_passes_with_a_leak": ("passed", retain.strip()),
    }
    told = found["test_refused"][2]
    assert "<what it printed>" in told
    assert "Story: 4 calls" in told
    assert "cuMemAlloc(bytesize=0) -> INVALID_VALUE  [memory.mem_alloc.SIZE_IS_POSITIVE]" in told
    assert "evidence   on H200, driver 580 answers INVALID_VALUE" in told
    assert "no event that the call uses has been destroyed" in found["test_twice"][2]
    assert "left behind: 1 allocation" in found["test_left"][2]
    assert "Reason" in found["test_skipped"][2]
    failing = [name for name, (ended, _, _) in found.items() if ended in {"failed", "error"}]
    assert page.count('<ol class="story"') == len(failing) == 5
    assert page.count('<img src="data:image/svg+xml,') == 2 * len(failing)  # the machine, and its calls in time
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert {"rule-memory.mem_alloc.SIZE_IS_POSITIVE", "rule-event.handle.EVENT_IS_LIVE"} <= links
    assert all(f'id="{link}"' in page for link in links)
    assert not re.search(r'(?:src|href)="(?!data:|#)', page)


def test_what_passes_is_not_drawn(suite: Suite) -> None:
    """Nor are its calls told."""
    suite.write(
        test_it=TESTS,
        conftest="""
        import pytest
        from fakecuda.machine import machine

        @pytest.fixture(autouse=True)
        def none(monkeypatch):
            monkeypatch.setattr(machine.Machine, "draw", None)
            monkeypatch.setattr(machine.CallRecord, "__str__", None)
    """,
    )
    outcome = suite.run("--fakecuda-html=out", "-k", "test_passes")
    assert outcome.counts == {"PASSED": 2}, outcome.out
    assert "<ol" not in (suite.folder / "out" / "index.html").read_text()


def test_without_the_option_there_is_no_file(suite: Suite) -> None:
    """Whatever comes of the tests; nor where tests are only collected."""
    suite.write(test_it=TESTS)
    suite.run()
    suite.run("--fakecuda-html=out", "--collect-only")
    assert {path.name for path in suite.folder.iterdir()} - {"__pycache__"} == {"pytest.ini", "test_it.py"}


@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize(
    "workers", [pytest.param((), id="alone"), pytest.param(("-n", "2"), marks=ALIKE, id="workers")]
)
def test_an_interrupted_session_tells_what_is_known(suite: Suite, workers: tuple[str, ...]) -> None:
    """What has ended, and what ran; of that, the calls so far where the tests run in the process that is interrupted."""
    interrupted = "getppid" if workers else "getpid"
    suite.write(
        test_it=f"""
        import os, signal, threading
        from cuda.bindings import driver as d

        def test_before(fakecuda):
            d.cuInit(0)

        def test_endless(fakecuda):
            d.cuInit(0), d.cuCtxCreate(None, 0, 0), d.cuMemAlloc(1 << 20)
            os.kill(os.{interrupted}(), signal.SIGINT)
            threading.Event().wait()
        """
    )
    outcome = suite.run("--fakecuda-html=out", *workers, "-p", "no:faulthandler")
    assert outcome.code == pytest.ExitCode.INTERRUPTED, outcome.out
    found = told_in(suite.folder / "out")
    assert found["test_endless"][0] == "interrupted"
    assert ("cuMemAlloc(bytesize=1 MiB) -> SUCCESS" in found["test_endless"][2]) == (not workers)
    assert workers or found["test_before"][0] == "passed"
    assert "Interrupted" in (suite.folder / "out" / "index.html").read_text()


def test_a_worker_that_crashes_fails_its_test(suite: Suite) -> None:
    """As pytest-xdist tells; the tests of the worker that takes its place are there, too."""
    suite.write(
        test_it="""
        import os
        import pytest

        @pytest.mark.parametrize("number", range(4))
        def test_it(fakecuda, number):
            fakecuda.here.c.cuInit(0)
            if number == 1:
                os._exit(3)
        """
    )
    suite.run("--fakecuda-html=out", "-n", "1")
    page = (suite.folder / "out" / "index.html").read_text()
    assert "<h1>1 failed, 3 passed</h1>" in page
    assert "crashed while running" in page


def test_what_cannot_be_collected_is_on_it(suite: Suite) -> None:
    """As an error of its file."""
    suite.write(test_it="import nothing_of_that_name")
    suite.run("--fakecuda-html=out")
    page = (suite.folder / "out" / "index.html").read_text()
    assert "1 error" in page
    assert "nothing_of_that_name" in page


def test_a_failed_example_is_told(suite: Suite) -> None:
    """Of a test of Hypothesis: that of the last example that failed, whose machine has ended when the test does."""
    suite.write(
        test_it="""
        from cuda.bindings import driver as d
        from hypothesis import given, settings, strategies as st

        @settings(database=None, derandomize=True, max_examples=20, deadline=None)
        @given(size=st.integers(0, 99))
        def test_it(fakecuda, size):
            d.cuInit(0), d.cuCtxCreate(None, 0, 0)
            assert d.cuMemAlloc(size)[0] == 0
        """
    )
    suite.run("--fakecuda-html=out")
    _, _, text = told_in(suite.folder / "out")["test_it"]
    assert "cuMemAlloc(bytesize=0) -> INVALID_VALUE" in text
    assert "context 0x" in unquote((suite.folder / "out" / "index.html").read_text())  # in the picture


def test_a_folder_that_cannot_be_made_is_a_usage_error(suite: Suite) -> None:
    """Before any test runs."""
    suite.write(test_it=TESTS)
    outcome = suite.run("--fakecuda-html=test_it.py")
    assert outcome.code == pytest.ExitCode.USAGE_ERROR
    assert "--fakecuda-html: " in outcome.out
    assert "name a folder" in outcome.out
