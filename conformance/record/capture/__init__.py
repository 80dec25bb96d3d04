"""Questions about stream capture and what graphs are changed by, through a module as cuda.bindings.driver is.

``python -m conformance.record.capture -o FILE`` asks the driver, each question in a process of its own: some calls crash it.
"""
