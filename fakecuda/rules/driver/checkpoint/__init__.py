"""Checkpoints: calls that lock, checkpoint, restore and unlock a process."""
