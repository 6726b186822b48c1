"""A finding as its paper's ``findings.py`` declares it: one printed sentence of one version of one paper.

`proofs.papers.<paper>.findings` holds a tuple ``FINDINGS`` of `Finding` and the constant ``READ``, a `Provenance`,
and ``CORRECTIONS``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

import sympy as sp

Kind: TypeAlias = Literal["privacy lost", "constant", "condition missing", "adjacency", "slip", "remark"]
Concern: TypeAlias = Literal["privacy", "utility"]
Verdict: TypeAlias = Literal["holds", "refuted", "undecided", "open"]

KINDS: Final[Mapping[Kind, str]] = {
    "privacy lost": "No constant mends the sentence: what is released shows the record.",
    "constant": "The sentence holds with another constant factor, which the repaired form states.",
    "condition missing": "The sentence holds in a range that it does not state, and fails outside of it.",
    "adjacency": "The sentence holds under another neighbouring relation that the paper also uses.",
    "slip": "Another place of the same paper has it right.",
    "remark": "A step of a proof, a hypothesis or an omission; the paper's theorem is not called false.",
}
CONCERNS: Final[tuple[Concern, ...]] = get_args(Concern)
MOST_QUOTED: Final = 39  # words of a quotation
PROGRAM_LINES: Final = 25


class Quotation(NamedTuple):
    """The paper's own words, fewer than 40, and the place where they stand.

    A symbol is written as text (``epsilon``, ``sum_t``); three dots mark what is left out.
    """

    words: str
    place: str


class PrintedHypothesis(NamedTuple):
    """A hypothesis of the printed sentence.

    Attributes:
        words: The hypothesis, formulas between dollars.
        check: A relation between the instance's parameters, which sympy evaluates: ``epsilon <= 8*log(1/delta)``. It is
            empty where only a reader can see that the hypothesis holds; the page then says *in words*.
    """

    words: str
    check: str = ""


@dataclass(frozen=True, kw_only=True)
class Instance:
    """The instance on which the sentence fails, written out.

    Attributes:
        parameters: Every parameter by name, as exact text: ``{"n": "1000", "delta": "1/1000"}``.
        data: The data set D; of a sentence about utility, the problem.
        neighbour: The data set D'; empty where neighbours play no part.
        released: What is released; empty where nothing is.
        event: The event whose probabilities are compared; empty where there is none.
    """

    parameters: Mapping[str, str]
    data: str
    neighbour: str = ""
    released: str = ""
    event: str = ""


class Kindest(NamedTuple):
    """The reading that its authors may have meant, and what becomes of it.

    Attributes:
        reading: The reading, in a sentence.
        verdict: What is known of this reading.
        shown_by: The id of the claim or obligation that shows the verdict; empty where nobody has checked it.
    """

    reading: str
    verdict: Verdict
    shown_by: str = ""


class Correction(NamedTuple):
    """What became of a finding that was published: its paper's ``findings.py`` lists these as ``CORRECTIONS``.

    Attributes:
        id: The id as it was cited.
        what: Withdrawn because it was wrong or no finding, superseded by another id, or corrected in what it says.
        date: The day of the change, as ``2026-11-28``.
        why: The reason, in one sentence.
        by: The id that takes its place, where it is superseded.
        was: `proofs.findings.register.fingerprint` of what it meant; empty for ids of the first edition.
    """

    id: str
    what: Literal["withdrawn", "superseded", "corrected"]
    date: str
    why: str
    by: str = ""
    was: str = ""


class Answer(NamedTuple):
    """What the authors said.

    Attributes:
        status: Whether they confirmed or disputed the finding.
        asked: The date on which they were asked; empty where they were not.
        words: Their words.
        mended: The version or commit in which they mended it.
    """

    status: Literal["not yet answered", "confirmed", "disputed"] = "not yet answered"
    asked: str = ""
    words: str = ""
    mended: str = ""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """What was read of a paper.

    Attributes:
        arxiv: Its arXiv id, without the version.
        version: The version that was read, such as ``v2``; ``unknown`` where the text does not say.
        date: The date of that version; ``unknown`` where it is not known.
        title: The title as read.
        sha256: The digest of the text that was read, in hexadecimal.
        others: Other versions that are known, and whether they were compared.
        code: The authors' code with the commit that was read; empty where a finding speaks of no code.
        asked: When the authors were asked, and what they said of the whole.
    """

    arxiv: str
    version: str
    date: str
    title: str
    sha256: str
    others: str
    code: str = ""
    asked: str = "not yet"


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A printed sentence that fails, or a step of a proof that does not show what it should.

    Attributes:
        id: ``paper/item``; it never changes its meaning.
        concerns: Privacy or utility.
        kind: The kind of fault; `KINDS` says what each means.
        title: The fault in one short sentence.
        printed: The sentence in the paper's words, at each place where the same fault stands.
        sentence: The same as mathematics with its quantifiers, formulas between dollars.
        fails: Why the sentence fails, in two to four sentences, formulas between dollars.
        hypotheses: The sentence's own hypotheses, each checked at the instance.
        instance: The instance; None for a remark without one.
        prints: The lines that the finding's program prints, word for word. For privacy: ``P = ...``, ``Q = ...`` and
            the bound that follows. For utility: ``printed = ...``, ``true = ...`` and what follows.
        only_for: The degenerate range where the sentence is known to fail ("n = 1"); the page begins with it.
        kindest: The kindest reading, with its own verdict.
        instead: The id of the obligation whose sentence is true instead.
        claims: The ids of the catalogue's claims that judge the printed sentence, whatever their verdict.
        refutations: The ids of the obligations whose certificates refute a formula of it.
        known: What the literature said before, with its citation keys; empty where nothing is known to us.
        answer: What the authors said.
    """

    id: str
    concerns: Concern
    kind: Kind
    title: str
    printed: tuple[Quotation, ...]
    sentence: str
    fails: str
    hypotheses: tuple[PrintedHypothesis, ...] = ()
    instance: Instance | None = None
    prints: tuple[str, ...] = ()
    only_for: str = ""
    kindest: Kindest
    instead: str
    claims: tuple[str, ...] = ()
    refutations: tuple[str, ...] = ()
    known: str = ""
    answer: Answer = field(default_factory=Answer)

    @property
    def paper(self) -> str:
        """The short name of the paper."""
        return self.id.partition("/")[0]

    @property
    def program(self) -> str:
        """The place of its program below ``proofs``: ``papers/<paper>/programs/<item>.py``, written as names in Python.

        >>> from proofs.papers.kl_condition.findings import FINDINGS
        >>> next(f.program for f in FINDINGS if f.id == "kl-condition/theorem-1")
        'papers/kl_condition/programs/theorem_1.py'
        """
        paper, _, item = (re.sub(r"[-.]", "_", part) for part in self.id.partition("/"))
        return f"papers/{paper}/programs/{item.lower()}.py"

    @property
    def needs_program(self) -> bool:
        """Whether the kind says that the sentence is false, which a program then shows."""
        return self.kind not in {"slip", "remark"}

    def faults(self) -> tuple[str, ...]:
        """Return what the declaration lacks or contradicts, a line each; the ids are checked by the register."""
        privacy = self.concerns == "privacy"
        at = self.instance
        rules = {
            "its kind needs an instance and a program's lines": not self.needs_program or (at and self.prints),
            "the program's lines are P, Q and a bound, or printed, true and what follows": not self.prints
            or [line.split(" = ")[0] for line in self.prints[:2]] == (["P", "Q"] if privacy else ["printed", "true"]),
            "a refuted sentence about privacy names D, D', what is released and the event": not (
                privacy and self.needs_program and at and not all((at.data, at.neighbour, at.released, at.event))
            ),
            "a quotation has 1 to 39 words and a place": all(
                q.place and 0 < len(q.words.split()) <= MOST_QUOTED for q in self.printed
            )
            and bool(self.printed),
            "a sentence that fails only for a degenerate range has a condition missing": not self.only_for
            or self.kind in {"condition missing", "slip", "remark"},
        }
        broken = [rule for rule, holds in rules.items() if not holds]
        broken += [f"the hypothesis {h.words} does not hold" for h in self.hypotheses if not self.holds(h)]
        return tuple(broken)

    def holds(self, hypothesis: PrintedHypothesis) -> bool:
        """Return whether a hypothesis holds at the instance; one in words only counts as read by a person.

        >>> from proofs.papers.kl_condition.findings import FINDINGS
        >>> [FINDINGS[0].holds(PrintedHypothesis("", check)) for check in ("n > 1", "n < 1")]
        [True, False]
        """
        if not hypothesis.check:
            return True
        values = {} if self.instance is None else {n: sp.Rational(v) for n, v in self.instance.parameters.items()}
        return bool(sp.sympify(hypothesis.check, locals=values))
