"""Writes the page that compares calls of several APIs.

The checks of each, in order.
"""

from __future__ import annotations

from itertools import groupby

from fakecuda.explain.ledger.checks import checks, page_of, slug
from fakecuda.rules.registry import chapter, op_of
from tools.pages.markdown import wrapped

PAGE = "rules/side_by_side.md"
CALLS = (
    ("cuIpcGetMemHandle", "cudaIpcGetMemHandle", "hipIpcGetMemHandle"),
    ("cuIpcOpenMemHandle", "cudaIpcOpenMemHandle", "hipIpcOpenMemHandle"),
    ("cuIpcCloseMemHandle", "cudaIpcCloseMemHandle", "hipIpcCloseMemHandle"),
    ("cuDeviceCanAccessPeer", "cudaDeviceCanAccessPeer", "hipDeviceCanAccessPeer"),
    ("cuCtxEnablePeerAccess", "cudaDeviceEnablePeerAccess", "hipDeviceEnablePeerAccess"),
    ("cuCtxDisablePeerAccess", "cudaDeviceDisablePeerAccess", "hipDeviceDisablePeerAccess"),
    ("cuMemAddressReserve", "hipMemAddressReserve"),
    ("cuMemAddressFree", "hipMemAddressFree"),
    ("cuMemCreate", "hipMemCreate"),
    ("cuMemMap", "hipMemMap"),
    ("cuMemUnmap", "hipMemUnmap"),
    ("cuMemSetAccess", "hipMemSetAccess"),
    ("cuMemRetainAllocationHandle", "hipMemRetainAllocationHandle"),
    ("cuMemImportFromShareableHandle", "hipMemImportFromShareableHandle"),
)
"""The calls that do the same in several APIs."""


def render(mark: str) -> str:
    """Return the page.

    Args:
        mark: The comment on the page's source.
    """
    introduction = (
        "What calls that several APIs have in common check, in order, and what they answer where it does not hold. "
        "[What else differs](../spec_notes.md#three-apis-side-by-side)."
    )
    sections = [f"## {calls[0]}\n\n" + "\n".join(map(_item, calls)) for calls in CALLS]
    return "\n\n".join(["# Three APIs side by side: checks", mark, wrapped(introduction), *sections]) + "\n"


def _item(call: str) -> str:
    op = op_of(call)
    assert op is not None
    told = [
        ", ".join(text for text, _ in those) + (f": {code}" if code else "")
        for code, those in groupby(checks(PAGE, op), lambda check: check[1])
    ]
    page = page_of(chapter(op.module)).removeprefix("rules/")
    return wrapped(f"- [{call}]({page}#{slug(call)}): {'; '.join(told) or 'nothing'}")
