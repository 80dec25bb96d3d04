"""Writes ``driver.json`` and ``runtime.json``.

Descriptions of all calls of the CUDA driver and runtime APIs.
They combine three sources: the C prototypes in the wheel's ``cydriver.pxd`` and ``cyruntime.pxd``; the signatures of
``cuda.bindings.driver`` and ``.runtime``, which show the inputs and their keywords; and ``symbols.json``, the versioned
symbols of the driver library. ``driver.overrides.toml`` and ``runtime.overrides.toml`` have what does not follow from
these.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import inspect
import json
import re
import tomllib
from pathlib import Path
from typing import Any

from fakecuda.spec.description import HERE
from fakecuda.spec.sizes import BYTES

GENERATED = HERE / "generated"
PROTOTYPE = re.compile(r"^cdef (CUresult|cudaError_t|const char\*) (cu\w+)\((.*)\) except", re.MULTILINE)
CONSTANTS = {"driver": ("CU",), "runtime": ("CU", "cuda")}
"""Prefixes of the names of an API's constants."""
NARROW = {"CUdeviceptr": "CUdeviceptr_v1", "size_t": "unsigned int"}
"""The types of CUDA 3.1 for the current types."""
NARROWED = ("CUDA_ARRAY_DESCRIPTOR", "CUDA_ARRAY3D_DESCRIPTOR", "CUDA_MEMCPY2D", "CUDA_MEMCPY3D")
"""Structs whose members had 32 bits in CUDA 3.1."""
STRUCT = re.compile(r"^ *cdef (struct|union) (\w+):\n((?:    +(?!cdef|ctypedef).*\n)+)", re.MULTILINE)
ALIAS = re.compile(r"^\s*ctypedef (\w+)\s+(\w+)(?: '\w+')?$", re.MULTILINE)


def pxd(api: str) -> str:
    """Return the text of the installed wheel's ``cydriver.pxd`` or ``cyruntime.pxd``."""
    spec = importlib.util.find_spec("cuda.bindings")
    if spec is None or not spec.submodule_search_locations:
        msg = "cuda.bindings is not installed: pip install 'fakecuda[cuda]'"
        raise SystemExit(msg)
    return (Path(spec.submodule_search_locations[0]) / f"cy{api}.pxd").read_text()


def prototypes(text: str) -> dict[str, list[tuple[str, int, str]]]:
    """Return each function's parameters in C order.

    Each is a type without const, a number of stars and a name.
    A function that returns a text is described with a last parameter for the address of the text.
    """
    found: dict[str, list[tuple[str, int, str]]] = {}
    for returned, name, inside in PROTOTYPE.findall(text):
        found[name] = parameters(inside) + [("char", 2, "returned")] * (returned == "const char*")
    return found


def parameters(inside: str) -> list[tuple[str, int, str]]:
    """Return the parameters of a prototype, from the text between its parentheses."""
    params = []
    for part in inside.split(","):
        words = part.replace("const ", "").strip()
        if not words:
            continue
        kind, _, label = words.replace("*", " * ").rpartition(" ")
        params.append((" ".join(kind.replace("*", "").split()), kind.count("*"), label))
    return params


def compiled(api: str) -> dict[str, Any]:
    """Return the functions that cuda.bindings lacks, from ``runtime.compiled.toml``."""
    file = HERE / f"{api}.compiled.toml"
    rows: dict[str, Any] = tomllib.loads(file.read_text()) if file.exists() else {}
    return rows


def structs(text: str, hidden: dict[str, list[str]], members: dict[str, list[list[str]]]) -> dict[str, list[list[str]]]:
    """Return each struct's fields as [type, name] in C order.

    Typedefs are resolved, and hidden members left out.

    Args:
        text: The content of ``cydriver.pxd``.
        hidden: Members to leave out, by struct.
        members: All members of structs with a union that has only one described member.
    """
    alias = {new: old for old, new in ALIAS.findall(text)}
    bodies: dict[str, list[list[str]]] = {}
    for _, name, body in STRUCT.findall(text):
        fields = [line.strip() for line in body.splitlines() if line.strip() and line.strip() != "pass"]
        pairs = [[" ".join(f.rpartition(" ")[0].split()), f.rpartition(" ")[2]] for f in fields]
        bodies[name] = [pair for pair in pairs if pair[1] not in hidden.get(name.removesuffix("_st"), [])]
    for new in alias:
        old = new
        while old in alias and old not in bodies:
            old = alias[old]
        if old in bodies:
            bodies.setdefault(new, bodies[old])
    return bodies | members


def kind_of(ctype: str, stars: int, role: str) -> str:
    """Return the kind of a parameter's plain value."""
    if role.startswith("string"):
        return "string"
    if role.startswith("buffer"):
        return "host"
    if ctype in BYTES:
        return "bytes"
    if ctype == "void" and stars == 1:
        return "any"
    return "integer"


def describe(api: str) -> dict[str, Any]:
    """Return the description of an API, ``driver`` or ``runtime``, as JSON-able data."""
    binding = importlib.import_module(f"cuda.bindings.{api}")

    text = pxd(api)
    overrides = tomllib.loads((HERE / f"{api}.overrides.toml").read_text())
    symbols = json.loads((HERE / "symbols.json").read_text()) if api == "driver" else []
    layouts = structs(text, overrides["hidden"], overrides["members"])
    protos = prototypes(text)
    calls: dict[str, Any] = {}
    for name, params in sorted(protos.items()):
        function = getattr(binding, name, None)
        if function is None:
            continue
        keywords = list(inspect.signature(function).parameters)
        special = overrides.get(name, {})
        calls[name] = {
            **_symbol(special.get("symbol", name), params, protos, symbols),
            "params": _params(params, keywords, layouts, special),
        }
    for name, row in compiled(api).items():
        params = parameters(row["prototype"])
        given = [label for _, _, label in params if label not in row.get("results", ())]
        calls[name] = {
            **_symbol(name, params, protos, symbols),
            "bound": False,
            "params": _params(params, given, layouts, overrides.get(name, {})),
        }
    calls = dict(sorted(calls.items()))
    used = reached({p["type"] for call in calls.values() for p in call["params"]}, layouts)
    enums = {
        label: {member.name: int(member) for member in members.values()}
        for label, value in sorted(vars(binding).items())
        if inspect.isclass(value) and issubclass(value, int) and (members := getattr(value, "__members__", None))
    }
    others = {
        "handles": [
            k for k, v in sorted(vars(binding).items()) if inspect.isclass(v) and k not in enums and k not in layouts
        ],
        "constants": {
            k: v
            for k, v in sorted(vars(binding).items())
            if k.startswith(CONSTANTS[api]) and isinstance(v, int) and not inspect.isclass(v)
        },
    }
    return {
        "from": {"cuda-bindings": importlib.metadata.version("cuda-bindings")},
        "calls": calls,
        "structs": {name: layouts[name] for name in sorted(used)},
        "enums": enums,
        **others,
    }


def _symbol(
    name: str, params: list[tuple[str, int, str]], protos: dict[str, Any], symbols: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the exported symbol that the binding calls under a name."""
    mine = [s for s in symbols if s["base"] == name and not s["stream"] and len(s["args"]) == len(params)]
    if f"{name}_v2" in protos and name in protos:
        mine = [s for s in mine if s["symbol"] == name] or mine
    exact = [s for s in symbols if s["symbol"] == name] if not mine else []
    best = max(mine or exact, key=lambda s: s["version"], default=None)
    if best is None:
        return {"symbol": name, "version": 0, "ptds": ""}
    variants = [s["symbol"] for s in symbols if s["stream"] and s["symbol"].startswith(best["symbol"] + "_pt")]
    return {"symbol": best["symbol"], "version": best["version"], "ptds": variants[0] if variants else ""}


def _params(
    params: list[tuple[str, int, str]], keywords: list[str], layouts: dict[str, Any], special: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return the parameters with their roles.

    The binding's keywords are assigned to the inputs in order.
    """
    # Inputs are the parameters that the binding takes by name. The rest follow in order among those that cannot be results.
    taken = {label for _, _, label in params} & set(keywords)
    free = [k for k in keywords if k not in taken]
    described = []
    for ctype, stars, label in params:
        mine = special.get(label, {})
        if label in taken:
            keyword, role = label, "in"
        elif free and (stars == 0 or ctype == "void") and mine.get("role") != "out":
            keyword, role = free.pop(0), "in"
        else:
            keyword, role = "", "out"
        role = mine.get("role", role)
        if stars and role == "in" and ctype == "char":
            role = "string_in"
        if stars and role == "out" and ctype == "char" and "role" not in mine:
            role = "string_out" if stars == 1 else "out"
        kind = "string" if ctype == "char" and stars else kind_of(ctype, stars, role)
        if ctype in layouts and ctype not in BYTES:
            kind = "struct"
        described.append(
            {
                "name": label,
                "type": "unsigned int" if ctype == "unsigned" else ctype,
                "pointer": stars > 0 or (ctype in BYTES and stars > 0),
                "role": role,
                "keyword": keyword,
                "kind": mine.get("kind", kind),
                **{k: v for k, v in mine.items() if k in {"length", "count", "array"}},
            }
        )
    return described


def reached(wanted: set[str], layouts: dict[str, list[list[str]]]) -> set[str]:
    """Return the names of structs that some types contain, directly or indirectly."""
    found: set[str] = set()
    queue = [name for name in wanted if name in layouts]
    while queue:
        name = queue.pop()
        if name in found:
            continue
        found.add(name)
        queue += [ctype.strip("* ") for ctype, _ in layouts[name] if ctype.strip("* ") in layouts]
    return found


def written(description: dict[str, Any]) -> str:
    """Return a description as JSON text.

    Each call, struct and other entry has its own line.
    """
    lines = ["{"]
    for key, value in description.items():
        if isinstance(value, dict) and key != "from":
            rows = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in value.items())
            lines.append(f"{json.dumps(key)}: {{\n{rows}\n}},")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)},")
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join([*lines, "}", ""])


def forms(driver: dict[str, Any]) -> dict[str, Any]:
    """Return the description of the older forms in ``forms.toml``.

    Args:
        driver: The description of the driver API.
    """
    rows = tomllib.loads((HERE / "forms.toml").read_text())
    symbols = {one["symbol"]: one for one in json.loads((HERE / "symbols.json").read_text())}
    structs = driver["structs"]
    calls = {}
    for name, takes in sorted(rows.items()):
        symbol = name.removesuffix("_v1")
        base = symbols[symbol]["base"]
        known = {param["name"]: param for param in driver["calls"][base]["params"]}
        params = [known[one] if isinstance(one, str) else _own(one) for one in takes]
        variants = [one for one in (f"{symbol}_ptds", f"{symbol}_ptsz") if one in symbols]
        ptds = variants[0] if variants else ""
        calls[name] = {
            "symbol": symbol,
            "version": symbols[symbol]["version"],
            "ptds": ptds,
            "base": base,
            "params": params,
        }
    return {
        "from": driver["from"],
        "calls": calls,
        "structs": {
            "CUDA_KERNEL_NODE_PARAMS_v1": structs["CUDA_KERNEL_NODE_PARAMS"][:-2],  # without the kernel and its context
            **{f"{name}_v1": [[NARROW.get(kind, kind), label] for kind, label in structs[name]] for name in NARROWED},
        },
        "enums": {},
        "handles": [],
        "constants": {},
    }


def _own(param: dict[str, Any]) -> dict[str, Any]:
    """Return a parameter that the newest form lacks."""
    role = param.get("role", "in")
    kind = kind_of(param["type"], int(param.get("pointer", False)), role)
    if param["type"].startswith("CUDA_"):
        kind = "struct"
    keyword = param["name"] if role == "in" else ""
    described = {key: value for key, value in param.items() if key != "failed"}
    return {
        "pointer": False,
        "role": role,
        "keyword": keyword,
        "kind": "integer" if kind == "any" else kind,
        **described,
    }


def files() -> dict[Path, str]:
    """Return the files for the installed cuda-bindings, by path."""
    made = {api: describe(api) for api in CONSTANTS}
    made["forms"] = forms(made["driver"])
    return {GENERATED / f"{api}.json": written(one) for api, one in made.items()}
