"""Arrays and mipmapped arrays."""
