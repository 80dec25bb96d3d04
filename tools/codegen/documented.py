"""Writes the codes that the manual names for each call.

They come from the docstrings of the installed cuda.bindings, and for functions that it lacks from ``runtime.compiled.toml``.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
from typing import TYPE_CHECKING

from fakecuda.explain.ledger.codes import DOCUMENTS, docstring
from fakecuda.rules.registry import DRIVER, RUNTIME, Api
from tools.codegen.description import compiled

if TYPE_CHECKING:
    from pathlib import Path

END = "\nReturns\n-------\nCUresult\n"
"""A text after each docstring, so that a docstring without codes has no matches."""


def files() -> dict[Path, str]:
    """Return the files of the driver API and of the runtime API, by path."""
    return {DOCUMENTS[api.name]: _render(api) for api in (DRIVER, RUNTIME)}


def _render(api: Api) -> str:
    module = importlib.import_module(f"cuda.bindings.{api.name}")
    installed = importlib.metadata.version("cuda-bindings")
    lines = []
    # The module defines its functions in the manual's order.
    for name, function in vars(module).items():
        if name in api.calls if api is RUNTIME else re.match(r"cu[A-Z]", name):
            _, _, returns = re.split(r"Returns\n-------\n(CUresult|cudaError_t)\n", docstring(function) + END)[:3]
            codes = re.findall(r"\b(?:CUDA_ERROR_(\w+)|(cudaError\w+))", returns.partition("\n")[0])
            lines.append(f"  {json.dumps(name)}: {json.dumps(list(dict.fromkeys(map(''.join, codes))))}")
    lines += [f"  {json.dumps(name)}: {json.dumps(row['codes'])}" for name, row in compiled(api.name).items()]
    return (
        f'{{\n "from": "the docstrings of cuda-bindings {installed}",\n "codes": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    )
