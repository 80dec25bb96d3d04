"""Tensor maps: descriptors of a memory region for the tensor memory accelerator."""
