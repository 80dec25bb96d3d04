"""The side of an attached process: it sends its calls to the owner of the machine."""
