"""Questions about linkers, references of modules, widths of textures, checkpoints, and texture objects of the runtime API.

``python -m conformance.record.linking -o FILE`` asks the driver, each question in a process of its own: some calls crash a
driver, or wait for ever.
"""
