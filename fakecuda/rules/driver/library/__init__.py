"""Libraries of processes: images of code that need no context, and their kernels."""
