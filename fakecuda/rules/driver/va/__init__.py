"""Virtual memory management."""
