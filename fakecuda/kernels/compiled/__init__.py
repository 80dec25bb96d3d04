"""Kernels from their PTX as native code, by llvmlite: the extra ``fakecuda[kernels]``.

The engine answers as the reference does, the rest of :mod:`fakecuda.kernels`: the same bytes, uses of memory, faults, turns of
threads and counts of instructions. It takes the reference's reading of a kernel: its pieces, operands, and the types of each
instruction's meaning. :mod:`~fakecuda.kernels.compiled.body` writes LLVM IR, :mod:`~fakecuda.kernels.compiled.engine` compiles
it, :mod:`~fakecuda.kernels.compiled.grid` runs the blocks, and :mod:`~fakecuda.kernels.compiled.private` holds the memory that
they see. A kernel with an instruction that is not lowered here runs in the reference.

Native code touches memory only where it has checked an address: in a private copy of an allocation, in shared memory, and in
the local memory of its thread. A run writes to the model's memory when it has ended.
"""
