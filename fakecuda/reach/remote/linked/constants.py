"""The C client's constants, from the protocol and the descriptions."""

from __future__ import annotations

import ctypes
import json

from fakecuda.reach.native import stubs
from fakecuda.reach.native.forms import EXPORT_TABLE
from fakecuda.reach.native.values import RANKS
from fakecuda.reach.remote import AT_EXIT, VARIABLE
from fakecuda.reach.remote.client.connecting import GREETED
from fakecuda.reach.remote.linked.shapes import spelt
from fakecuda.reach.remote.protocol import call_sites, schema
from fakecuda.reach.remote.protocol.frames import MOST, PROTOCOL
from fakecuda.reach.remote.protocol.questions import Report
from fakecuda.rules.driver.copy.range import ADDRESS_IS_KNOWN
from fakecuda.spec import export_tables, launch_config, mem_ops, node_params, resources, stream_values
from fakecuda.spec.descriptors import POSIX
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.nvml_types import type_of
from fakecuda.spec.sizes import NAME

REFUSALS = {
    "DRIVER_API": "CUDA_ERROR_NOT_SUPPORTED",
    "RUNTIME_API": "cudaErrorNotSupported",
    "NVML_API": "NVML_ERROR_NOT_SUPPORTED",
}
"""Answers of functions that are not modelled."""


def constants() -> str:
    """Return the C constants of the protocol and of the descriptions."""
    digest = "".join(f"\\x{byte:02x}" for byte in schema.DIGEST)
    own_stream = ENUMS["CUdriverProcAddress_flags"]["CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM"]
    told = {
        "PROTOCOL": PROTOCOL,
        "MOST_BODY": MOST,
        "MOST_PLACES": call_sites.MOST,
        "MOST_STACKS": call_sites.STACKS,
        "GREETED": int(GREETED),
        "DIGEST": f'"{digest}"',
        "VARIABLE": f'"{VARIABLE}"',
        "TAG": stubs.TAG,
        "UNKNOWN_ADDRESS": f'"{ADDRESS_IS_KNOWN.id}"',
        "POSIX_DESCRIPTOR": POSIX,
        "FABRIC": schema.FABRIC,
        "MOST_OPERATIONS": mem_ops.MOST,
        "OPERATION_SIZE": mem_ops.SIZE,
        "STREAM_VALUE_SIZE": stream_values.SIZE,
        "RESOURCE_UNION": resources.TYPE.size,
        "RESOURCE_FLAGS": resources.FLAGS_AT,
        "RESOURCE_SIZE": resources.SIZE,
        "RESOURCE_USED": resources.USED,
        "LAUNCH_HEAD": json.dumps(spelt(launch_config.HEAD.format.partition("QQI")[0] + "Q")),
        "LAUNCH_ATTRIBUTES": launch_config.ATTRIBUTES_AT,
        "LAUNCH_COUNT": launch_config.COUNT_AT,
        "LAUNCH_ATTRIBUTE_SIZE": launch_config.SIZE,
        "MOST_RANKS": RANKS,
        "FIELD_SIZE": ctypes.sizeof(type_of("nvmlFieldValue_t")),
        "KEPT_OF_A_NAME": NAME,
        "CONDITIONAL": node_params.CONDITIONAL,
        "ADDRESS_OF_MEMORY": node_params.ADDRESS,
        "GRAPHS_OF_CONDITIONAL": node_params.BODIES,
        "PER_THREAD_DEFAULT_STREAM": own_stream,
        "AT_EXIT": f'"{AT_EXIT}"',
        **{one.name: int(one) for one in Report if one.name},
        **_export_tables(),
    }
    return "".join(f"#define {name} {value}\n" for name, value in told.items())


def _export_tables() -> dict[str, object]:
    """Return the constants about private tables, and the messages."""
    ids = ", ".join(f"{{{', '.join(map(str, one))}}}" for one in sorted(export_tables.RUNTIME))
    texts = {
        "EXPORT_TABLE_REFUSED": refused(EXPORT_TABLE, "DRIVER_API"),
        "STATIC_ASKS": export_tables.STATIC,
        "SHARED_ASKS": export_tables.SHARED,
        "BINDINGS_ASK": export_tables.BINDINGS,
        "OTHER_ASKS": export_tables.OTHER,
        "RUNTIME_FILE": export_tables.RUNTIME_FILE,
        "UNKNOWN_CALLER": export_tables.UNKNOWN_CALLER,
        "BINDINGS_FOLDER": export_tables.BINDINGS_FOLDER,
    }
    numbers = {"TABLE_ID_SIZE": export_tables.ID_SIZE, "RUNTIME_TABLES": f"{{{ids}}}"}
    return {**numbers, **{name: json.dumps(text) for name, text in texts.items()}}


def refused(name: str, api: str) -> str:
    """Return the answer of a function that is not modelled, as text."""
    return f"{name} is not modelled: it answers {REFUSALS[api]}"
