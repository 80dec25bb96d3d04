"""The APIs as data: which calls the driver's, the runtime's, HIP and NVML have, and how each is called.

:mod:`fakecuda.api.description` says what is described; each API has a module of its own: :mod:`fakecuda.api.driver`,
:mod:`fakecuda.api.runtime`, :mod:`fakecuda.api.hip`, :mod:`fakecuda.api.nvml`. Nothing here knows an operation:
:mod:`fakecuda.rules.registry` finds those.
"""
