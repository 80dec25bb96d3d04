"""What a run pays that does not use the plugin."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conftest import Suite

LISTED = """
import json, sys
import pytest
before = set(sys.modules)
import fakecuda.plugin
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def test_plugin_loads_nothing_but_itself() -> None:
    """Neither the simulator nor what it needs is imported with the plugin."""
    done = subprocess.run([sys.executable, "-c", LISTED], capture_output=True, text=True, check=True)
    names = [name for name in json.loads(done.stdout) if name.partition(".")[0] not in sys.stdlib_module_names]
    assert names == [
        "fakecuda",
        "fakecuda.modes",
        "fakecuda.plugin",
        "fakecuda.renamed",
        "fakecuda.testing",
        "fakecuda.testing.settings",
    ]


def test_run_without_the_fixture_loads_nothing_more(suite: Suite) -> None:
    """A session in which no test asks for a machine does not import the simulator."""
    suite.write(
        test_it="""
            import sys
            import pytest

            @pytest.mark.fakecuda(profile="h200")
            def test_without_fixture():
                loaded = [name for name in sys.modules if name.partition(".")[0] in {"attr", "cuda", "fakecuda"}]
                assert sorted(loaded) == ["fakecuda", "fakecuda.modes", "fakecuda.plugin", "fakecuda.renamed", "fakecuda.testing", "fakecuda.testing.settings"]
        """
    )
    suite.environ["PYTEST_PLUGINS"] = ""  # such as tests.without_native, which imports
    done = suite.run(fresh=True)
    assert done.counts == {"PASSED": 1}, done.out


def test_assertions_of_fakecuda_are_not_rewritten(suite: Suite) -> None:
    """Its modules come as they are, those that a test's call imports, too."""
    suite.write(
        test_it="""
            import sys

            def test_with_the_fixture(fakecuda):
                assert fakecuda.machine.here.driver.cuInit(0) == (0,)
                ours = [name for name in sys.modules if name.startswith(("fakecuda.rules.", "fakecuda.model."))]
                assert "fakecuda.rules.driver.core.init" in ours
                loaders = {type(sys.modules[name].__spec__.loader).__name__ for name in ours}
                assert loaders == {"SourceFileLoader"}
                assert type(__spec__.loader).__name__ == "AssertionRewritingHook"
        """
    )
    done = suite.run(fresh=True)
    assert done.counts == {"PASSED": 1}, done.out
