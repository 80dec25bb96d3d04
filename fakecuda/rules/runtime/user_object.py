"""User objects in the runtime API: calls equal to driver calls, which need no context."""

from __future__ import annotations

from fakecuda.rules.driver.graph.user_object import (
    graph_release_user_object,
    graph_retain_user_object,
    user_object_create,
    user_object_release,
    user_object_retain,
)
from fakecuda.rules.runtime.active import initialised
from fakecuda.rules.runtime.through import through

through("cudaGraphReleaseUserObject", graph_release_user_object, initialised)
through("cudaGraphRetainUserObject", graph_retain_user_object, initialised)
through("cudaUserObjectCreate", user_object_create, initialised)
through("cudaUserObjectRelease", user_object_release, initialised)
through("cudaUserObjectRetain", user_object_retain, initialised)
