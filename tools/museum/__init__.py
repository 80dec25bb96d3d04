"""Bugs that were reported in public, each as a program that has it beside one that has not.

A program stands in ``exhibits``, twice: faulty, and fixed where it says ``fixed``. Both are tests as users write them, with the
fixture ``fakecuda`` and the settings that their exhibit names. ``visit`` runs them; ``docs/museum.md`` is the gallery.
"""
