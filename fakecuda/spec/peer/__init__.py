"""Direct access between devices."""
