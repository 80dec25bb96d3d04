"""The cases: what calls answer, for each call that succeeds what changes when one thing is different; laid out as the rules are."""
