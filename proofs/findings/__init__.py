"""Findings: printed sentences of the five papers that fail, or that their printed proof does not show.

`declared` says what a finding is, and each paper's ``findings.py`` declares its own. `gathering` collects them,
`evidence` adds what dpref itself shows, `register` keeps what the ids mean, `checking` works all of it out anew, and
`document`, `citing` and `note` write it down.
"""
