"""The conformance suite's own parts: programs, names, recordings, cases and the state machine."""
