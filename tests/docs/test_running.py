"""A block that does not do what its page says is noticed."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from tests.docs.blocks import blocks_of, compare, run

if TYPE_CHECKING:
    from pathlib import Path

PAGE = """
Prose.

<!-- test -->
```sh
install
```

```python gpu
ask(the_driver)
```

```sh
echo hello
```

```text
hello
```

Between.

```text
a picture
```
"""


def page(text: str) -> str:
    """Return a page without the indentation that it has in the caller's text."""
    return textwrap.dedent(text).strip()


def test_blocks_know_their_page() -> None:
    """Lines, languages, markers, and the output that follows."""
    found = [(one.id, one.language, one.marker, one.gpu, one.output) for one in blocks_of("a.md", PAGE)]
    assert found == [
        ("a.md:6", "sh", "test", False, None),
        ("a.md:10", "python", "", True, None),
        ("a.md:14", "sh", "", False, "hello\n"),
        ("a.md:24", "text", "", False, None),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [("```python\n1\n", "a.md:1: the block has no end"), ("```python slow\n```\n", "a.md:1: write ```LANGUAGE")],
    ids=["open", "word"],
)
def test_a_malformed_block_is_told(text: str, said: str) -> None:
    """The page and the line say where it is."""
    with pytest.raises(ValueError, match=said):
        blocks_of("a.md", text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```python\ndef test_it():\n    assert 1 == 2\n```", "assert 1 == 2"),
        ("```python\nimport warnings\nwarnings.warn('no')\n```", "UserWarning: no"),
        ("```python\nprint(1)\n```\n\n```text\n2\n```", "Expected:\n    2\nGot:\n    1"),
        ("```sh\nfalse\ntrue\n```", "status 1"),
        ("```pycon\n>>> 1 + 1\n3\n```", "Expected:\n    3\nGot:\n    2"),
        ("```pycon\n>>> a.driver.cuInit(0)[0].name\n>>> 1\n1\n```", "'CUDA_SUCCESS'"),
    ],
    ids=["test", "warning", "output", "shell", "prompt", "more"],
)
def test_a_wrong_block_fails(text: str, said: str, tmp_path: Path) -> None:
    """And the message has what came instead."""
    (block,) = blocks_of("a.md", text)
    with pytest.raises(AssertionError) as caught:
        run(block, tmp_path)
    assert said in str(caught.value)


def test_dots_stand_for_anything() -> None:
    """Addresses differ from run to run."""
    compare("a.md:1", "at 0x... of 2\n", "at 0x7f00 of 2   \n\n")


BUG = "```python\nx = [\n    1,\n    2,\n]\nprint(x[1])\n```\n\n{}\n```text\n{}\n```"


def test_a_bug_is_planted_in_the_block_before(tmp_path: Path) -> None:
    """A line is changed or left out; what it prints then is shown, and it must fail."""
    for change, said in (("2, => ", "IndexError"), ("x[1] => x[2]", "IndexError"), ("1, => one,", "NameError")):
        block, bug = blocks_of("a.md", BUG.format(f"<!-- changed: {change} -->", f"...\n{said}: ..."))
        run(block, tmp_path)
        assert (bug.id, bug.fails) == ("a.md:11", True)
        run(bug, tmp_path)


def test_a_bug_that_does_no_harm_is_told(tmp_path: Path) -> None:
    """So is one that is in no line, or in several."""
    bug = blocks_of("a.md", BUG.format("<!-- changed: x[1] => x[0] -->", "1"))[1]
    with pytest.raises(AssertionError, match="status 0"):
        run(bug, tmp_path)
    for text, count in (("y", 0), ("x", 2)):
        with pytest.raises(ValueError, match=rf"a\.md:11: '{text}' is in {count} lines"):
            blocks_of("a.md", BUG.format(f"<!-- changed: {text} => z -->", ""))
