"""What calls answer at once while their process is locked or put away, and what becomes of its work and memory.

``python -m conformance.record.halted --out FILE`` asks a driver: each call of the conformance suite that is valid, and one with
a wrong argument, in a process of its own that another one halts. Scenes ask what several processes see.
"""
