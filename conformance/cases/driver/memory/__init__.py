"""Cases of linear device memory."""
