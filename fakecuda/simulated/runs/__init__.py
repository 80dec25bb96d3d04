"""Many runs of a program: a sweep gives each one fault, and an exploration gives each its own order."""
