"""Tensor maps: descriptions of a region of memory for the copy engines of tensors."""
