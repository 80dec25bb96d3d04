"""Kernels that run from their PTX, in plain Python.

This is the slow reference. :mod:`~fakecuda.kernels.text` finds the PTX of an image, :mod:`~fakecuda.kernels.parse` reads it,
:mod:`~fakecuda.kernels.lower` turns each instruction into a function, and :mod:`~fakecuda.kernels.grid` runs the threads.
:func:`fakecuda.kernels.launch.prepare` joins them. The meaning of each instruction is data: a function of its operands in
:mod:`~fakecuda.kernels.arithmetic`, :mod:`~fakecuda.kernels.logic`, :mod:`~fakecuda.kernels.conversions` and the modules
about memory and control. An instruction or a modifier that none of them names is refused.
"""
