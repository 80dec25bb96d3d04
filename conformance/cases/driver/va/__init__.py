"""Cases of virtual memory management."""
