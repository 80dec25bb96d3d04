"""Pages, as text and in a browser."""
