"""One simulated machine for several OS processes.

One OS process owns the machine. It holds the model and answers the others over a Unix socket
(:mod:`~fakecuda.reach.remote.owner.owner`, :mod:`~fakecuda.reach.remote.owner.session`). In the other processes the
doors work as usual, but each call is sent to the owner: the calling thread sends the call's number and plain arguments,
and receives the code and plain results (:mod:`~fakecuda.reach.remote.client.client`). An attached OS process is one
simulated process, and both end together.

The owner listens on one socket for all its machines (:mod:`~fakecuda.reach.remote.owner.rendezvous`); each machine has
a number there. An offered machine (:mod:`~fakecuda.reach.remote.owner.endpoint`) costs nothing until a process
attaches.

================  =========================================================================================
what              how it is transferred
================  =========================================================================================
a call            as a frame on the calling thread's own connection, which ends with the thread
descriptors       as descriptors (SCM_RIGHTS), in both directions
device memory     not at all: it is a file (memfd) that both processes map
pinned, managed   as a file, too; the attached process maps it at the addresses that the owner returned
other memory      after a call, the owner asks the process to copy bytes between its memory and the files
host functions    the owner asks the process that launched them to call them
================  =========================================================================================

Calls of the runtime API and of HIP are sent unchanged, so that the same rules answer them everywhere.

No process reads another's memory, because containers may forbid it.
"""

from __future__ import annotations

VARIABLE = "FAKECUDA_MACHINE"
"""The environment variable with the machine's address: socket path, ``#``, number."""
AT_EXIT = "FAKECUDA_AT_EXIT"
"""The environment variable with what programs without Python print at exit."""
