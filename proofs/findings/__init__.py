"""What dpref found in the five papers: every printed statement that is refuted, or whose proof does not show it.

`finding` says what one is, `gathering` derives them from the catalogue of claims and the registry of obligations,
`register` keeps what their ids mean, `witnesses` works out what the register records, `citing` writes BibTeX, `plain`
reads LaTeX as text.
"""
