"""The protocol between an attached process and the owner of its machine."""
