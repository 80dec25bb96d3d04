"""Cases of copies and memsets."""
