"""Pages: what a reader opens in a browser, each one file that fetches nothing from elsewhere.

- :mod:`.markup` makes elements of text, :mod:`.shell` a page of them, with the style and the script that all pages share.
- :mod:`.linked` has reports as they are told elsewhere, each rule in them a link to what is known of it.
- :mod:`.session` is the page of a run of pytest; :mod:`.notebook` what a notebook shows of a finding.
"""
