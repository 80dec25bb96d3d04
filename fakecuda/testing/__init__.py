"""What the plugin of pytest is made of, but for its hooks: it is imported when a test asks for it."""
