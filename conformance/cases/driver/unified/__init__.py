"""What a pointer points to."""
