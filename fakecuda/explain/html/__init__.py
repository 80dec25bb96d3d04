"""HTML pages, each one file without external resources.

- :mod:`.markup` makes elements of text, :mod:`.shell` a page of them, with the style and the script that all pages share.
- :mod:`.linked` has reports in which each rule is a link to its evidence.
- :mod:`.session` is the page of a run of pytest; :mod:`.notebook` what a notebook shows of a finding.
"""
