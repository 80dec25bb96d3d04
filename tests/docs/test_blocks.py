"""Every code block of the README and of docs/ runs as a reader would paste it."""

from __future__ import annotations

import ast
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import OUTPUT, ROOT, WAYS, Block, blocks_of, run
from tests.docs.pages import names, text_of
from tests.each import each

if TYPE_CHECKING:
    from pathlib import Path

BLOCKS = [
    block
    for name in names()
    for block in blocks_of(name, text_of(name))
    if block.language != OUTPUT  # by itself it is a picture: no block before it prints it
]
SET_UP = [block for block in BLOCKS if block.marker]


@each("block", BLOCKS)
def test_a_block_says_how_it_runs(block: Block) -> None:
    """There is a way to run each; what is not run here is well formed at least."""
    assert block.language in WAYS, f"{block.id}: write {', '.join(WAYS)} or {OUTPUT} behind the fence"
    if block.language == "python":
        ast.parse(block.text)
    if block.language == "sh":
        subprocess.run(["bash", "-n", "-c", block.text], check=True)  # noqa: S607 - the reader's own


@pytest.mark.parametrize("block", [one for one in BLOCKS if not one.gpu and not one.marker], ids=lambda block: block.id)
def test_a_block_runs(block: Block, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    """It ends well, and prints what the page shows. With ``--long`` a new Python runs it, which has imported nothing.

    A new Python always runs those of the README, which show whole stacks.
    """
    run(block, tmp_path, fresh=block.id.startswith("README.md") or pytestconfig.getoption("--long"))


def test_the_set_up_commands_are_run_by_ci() -> None:
    """They install, so that no test runs them: ``.ci/run`` does, which finds each by its marker."""
    assert [block.marker for block in SET_UP] == ["conform", "test"]
    script = (ROOT / ".ci" / "run").read_text()
    assert [block.marker for block in SET_UP if f"$(command_of {block.marker})" not in script] == []
    assert [block.text.count("\n") for block in SET_UP] == [1, 1]
