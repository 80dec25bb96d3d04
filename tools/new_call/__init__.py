"""Starts a call that is described but has no operation.

The command is ``python -m tools.new_call CALL``.
It writes skeletons of the operation and its cases, runs the generators and the skeleton's cases, and prints what
remains to be written, file by file, with the commands that check it. If a step fails, the tree is left unchanged.

:mod:`tools.new_call.plan` finds out what is known of the call. :mod:`tools.new_call.skeletons` and
:mod:`tools.new_call.nvml` have the texts. :mod:`tools.new_call.steps` writes and runs them, :mod:`tools.new_call.undo`
undoes that, and :mod:`tools.new_call.remaining` makes the list.
"""
