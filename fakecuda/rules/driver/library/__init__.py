"""Libraries: code images that need no context, and their kernels."""
