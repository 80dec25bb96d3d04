"""The owner of a shared machine: it listens, keeps the model and answers calls."""
