"""What ``Print Assumptions`` says, read: the one place where an axiom, or a check that was switched off, is seen."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOTHING = "Closed under the global context"


def assumptions(said: str) -> tuple[str, ...]:
    r"""What a theorem rests on: all that begins a line, so that no form of an assumption is passed over.

    Coq prints an axiom as ``name : type``, the type set in where it takes more lines, and a check that was off as
    ``name is assumed to be guarded.`` (or positive), a theory as ``Theory:`` and what it allows.

    Args:
        said: All that Coq printed.

    Raises:
        ValueError: If this is no answer of ``Print Assumptions``.

    >>> assumptions("Axioms:\nfoo : 1 = 2\nbar is assumed to be guarded.\n")
    ('bar', 'foo')
    """
    lines = [line for line in said.splitlines() if line.strip()]
    if [line.strip() for line in lines] == [_NOTHING]:
        return ()
    if not lines or lines[0].strip() not in ("Axioms:", "Theory:"):
        raise ValueError(f"no answer of Print Assumptions: {said!r:.200}")
    words = {found[0] for line in lines if (found := re.match(r"[^\s:]+", line))}
    return tuple(sorted(words - {"Axioms"}))


def located(names: Iterable[str], said: str) -> dict[str, str]:
    r"""Return the full name of each name, from what ``Locate`` prints of all of them.

    A constant that has a shorter name where it is asked is another one than the name stands for.  A name of which Coq
    finds no constant, or more than one, stays as it is and says so.

    >>> located(["Uint63.boom"], "Constant Dpref.Uint63.boom\nConstant A.Uint63.boom\n  (shorter name ...)\n")
    {'Uint63.boom': 'Dpref.Uint63.boom'}
    """
    blocks = [" ".join(b.split()) for b in re.split(r"^(?=\S)", said, flags=re.MULTILINE)]
    full = [b.removeprefix("Constant ") for b in blocks if re.fullmatch(r"Constant \S+", b)]
    found = {name: {f for f in full if f == name or f.endswith(f".{name}")} for name in names}
    return {name: each.pop() if len(each) == 1 else f"{name} (not located)" for name, each in found.items()}
