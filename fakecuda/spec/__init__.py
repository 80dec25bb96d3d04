"""The APIs as data: the calls of driver, runtime, HIP and NVML.

:mod:`fakecuda.spec.description` says what is described; each API has a module of its own: :mod:`fakecuda.spec.driver`,
:mod:`fakecuda.spec.runtime`, :mod:`fakecuda.spec.hip`, :mod:`fakecuda.spec.nvml`. Nothing here knows an operation:
:mod:`fakecuda.rules.registry` finds those.
"""
