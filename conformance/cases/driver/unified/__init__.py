"""Cases of unified addressing and managed memory."""
