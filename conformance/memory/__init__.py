"""Linear device memory."""
