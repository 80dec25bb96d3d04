"""Pictures of a machine as SVG, from ``machine.draw()``."""
