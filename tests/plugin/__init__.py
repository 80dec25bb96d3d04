"""The pytest plugin and the installation into a process."""
