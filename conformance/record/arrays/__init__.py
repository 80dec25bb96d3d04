"""Questions about arrays, textures, surfaces, tensor maps and calls of their chapters, through a module as cuda.bindings.driver is.

``python -m conformance.record.arrays -o FILE`` asks the driver. Tests put the same questions to the model's look-alike, and
compare. Each question is asked in a process of its own: some calls crash a driver.
"""
