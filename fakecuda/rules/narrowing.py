"""Rules of calls in a context of CUDA 3.1.

``fakecuda.rules.forms.narrow`` checks them, in place of the operation.
"""

from __future__ import annotations

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.spec.codes import Error, Result

CONTEXT_IS_OF_TODAY = Rule(
    "the current context was made by cuCtxCreate_v2 or a later form, if the call takes addresses or sizes of 64 bits",
    Result.INVALID_CONTEXT,
    observed("cuMemAlloc", "in a context of CUDA 3.1 a form with addresses of 64 bits answers INVALID_CONTEXT"),
    fix="make the context with cuCtxCreate_v2, whose arguments are the same, or call the form without a number",
)
CONTEXT_SUITS_THE_RUNTIME = Rule(
    "the current context was made by cuCtxCreate_v2 or a later form, if the call is one of the runtime API",
    Error.INCOMPATIBLE_DRIVER_CONTEXT,
    manual("cudaError_t", "the Driver context was created using an older version of the API"),
    fix="make the context with cuCtxCreate_v2, whose arguments are the same",
)
ADDRESSING_IS_UNIFIED = Rule(
    "the process has no context of CUDA 3.1, if the call tells what an address is",
    Result.INVALID_VALUE,
    observed("cuPointerGetAttribute", "while a context of CUDA 3.1 lives it answers INVALID_VALUE for each address"),
    fix="make the context with cuCtxCreate_v2, whose arguments are the same",
)
MEMORY_IS_OF_THE_CONTEXT = Rule(
    "in a process with contexts of CUDA 3.1, the memory that a call names belongs to the current context; for memory "
    "operations of streams and for graph nodes, to the context of the stream or of the node",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpyDtoD", "a context of CUDA 3.1 finds no memory of another one, and a thread without a context none"
    ),
    fix="make the context current that the memory was allocated in",
)
MODELLED_IN_CUDA_3_1 = Rule(
    "the model supports the call in a context of CUDA 3.1",
    Result.NOT_SUPPORTED,
    observed("cuCtxCreate", "fakecuda's own answer, not a driver's: no driver was asked what the call does there"),
    fix="make the context with cuCtxCreate_v2, whose arguments are the same",
)

WHILE_NARROW = tuple(rule for rule in list(globals().values()) if isinstance(rule, Rule))
"""All rules of this module."""
