"""Texture and surface objects: how kernels read and write arrays, and memory as arrays."""
