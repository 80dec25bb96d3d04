"""Random programs: state machines with a model and a target in lockstep."""
