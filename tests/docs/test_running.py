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
