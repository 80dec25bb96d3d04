"""Texture and surface objects: how kernels access arrays, or memory like arrays."""
