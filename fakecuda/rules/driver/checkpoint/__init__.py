"""Checkpoints: a process is locked, checkpointed, restored and unlocked."""
