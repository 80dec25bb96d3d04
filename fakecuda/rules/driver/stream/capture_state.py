"""Rules about the state of a capture, and about the legacy stream during a capture."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, NoReturn

from fakecuda.errors import NotModelledWarning
from fakecuda.model.call import under_way
from fakecuda.model.graph import capture
from fakecuda.model.history import FailedCall, here
from fakecuda.rules.capturing import MODELLED_WHILE_CAPTURING
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.graph.capture import Capture
    from fakecuda.rules.dispatch import Op

LEGACY_STREAM_IS_FREE = Rule(
    "the call does not use the legacy stream while a blocking stream of its context is being captured",
    Result.STREAM_CAPTURE_IMPLICIT,
    manual("cuStreamGetCaptureInfo", "while a stream not created with CU_STREAM_NON_BLOCKING is capturing"),
    fix="create the stream with CU_STREAM_NON_BLOCKING, or do not use the legacy stream",
)
CAPTURE_IS_VALID = Rule(
    "no earlier call has invalidated the capture of the stream",
    Result.STREAM_CAPTURE_INVALIDATED,
    observed(
        "cuMemsetD8Async", "the driver answers STREAM_CAPTURE_INVALIDATED in a stream with an invalidated capture"
    ),
    fix="correct the call that invalidated the capture, and begin the capture again",
)


def invalidate(captures: Sequence[Capture], rule: Rule | None) -> None:
    """Invalidate captures, because the call in progress breaks a rule.

    Args:
        captures: The captures.
        rule: The rule. None if the call fails for another reason.
    """
    made = under_way()
    assert made is not None, "only a call invalidates captures"
    op = made[1]
    answer = "an error" if rule is None else op.api.short(op.api.codes.get(rule.code, rule.code))
    capture.invalidate(captures, FailedCall(op.name, answer, created=here()))


def unmodelled(op: Op) -> NoReturn:
    """Refuse a call that is not modelled while a stream is captured, and warn."""
    msg = (
        f"{op.name} is not modelled while a stream is captured, and answers {Result.NOT_SUPPORTED.cname}: end the "
        "capture first"
    )
    warnings.warn(msg, NotModelledWarning, stacklevel=6)
    raise MODELLED_WHILE_CAPTURING.broken(call=op.name)
