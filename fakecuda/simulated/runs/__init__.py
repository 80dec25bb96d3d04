"""The sweep: a program is run once for each call of it that may fail, and each code that the call may answer there."""
