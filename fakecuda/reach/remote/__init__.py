"""One simulated machine for several OS processes.

One of them owns the machine: it holds the model and answers the others over a Unix socket (:mod:`~fakecuda.reach.remote.owner.owner`,
:mod:`~fakecuda.reach.remote.owner.session`). In each of the others the doors are the same as ever, but a call travels: its thread
sends the call's number and plain arguments and gets the code and plain results (:mod:`~fakecuda.reach.remote.client.client`). An
attached OS process is one simulated process, and it ends when the OS process does.

Machines are found at the owner's one reception (:mod:`~fakecuda.reach.remote.owner.rendezvous`), each by a number. Until somebody attaches,
a machine that is offered (:mod:`~fakecuda.reach.remote.owner.endpoint`) is as any other.

================  =========================================================================================
what              how it crosses
================  =========================================================================================
a call            a frame on the calling thread's own connection, which ends with the thread
descriptors       as such (SCM_RIGHTS), in both directions
device memory     not at all: it is a file (memfd) that both map
pinned, managed   a file as well, which the attached process maps at the addresses that the owner gave out
other memory      behind a call, the owner asks the process to move the bytes between its memory and the files
host functions    the owner asks the process that launched them to call them
================  =========================================================================================

Calls of the runtime API and of HIP travel as they are, so that one rule answers them wherever they come from.

No process reads another's memory, so that nothing depends on what a container permits of that kind.
"""

from __future__ import annotations

VARIABLE = "FAKECUDA_MACHINE"
"""The environment variable that names the machine to attach to: a socket, ``#`` and the machine's number there."""
