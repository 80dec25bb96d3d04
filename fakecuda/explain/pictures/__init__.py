"""Pictures of a machine, as SVG: what ``machine.draw()`` returns."""
