"""The old package of the start-up hook, kept for one release."""
