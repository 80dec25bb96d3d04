"""Programs that are drawn: state machines over processes, contexts and memory, with a model and a target in lockstep."""
