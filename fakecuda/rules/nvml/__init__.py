"""NVML's rules: what its calls need, and what they report of the cards."""
