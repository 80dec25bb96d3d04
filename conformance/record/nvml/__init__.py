"""What a card's own NVML answers: ``python -m conformance.record.nvml`` asks the library that ctypes finds, and reads alone."""
