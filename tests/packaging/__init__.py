"""What users install, and what they may rely on."""
