"""The frames between an attached process and the owner of its machine, and what they carry."""
