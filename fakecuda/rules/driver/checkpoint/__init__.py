"""Checkpoints: a process that uses CUDA is locked, its memory is put away and brought back, and it goes on."""
