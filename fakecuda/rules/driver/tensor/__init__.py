"""Tensor maps: how the units that move tensors see a region of memory."""
