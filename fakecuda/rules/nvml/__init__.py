"""NVML's own rules: what its calls need, and what they tell of the machine's cards. All but a few of them only tell."""
