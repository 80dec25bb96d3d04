"""An attached process: its calls travel to the owner of the machine."""
