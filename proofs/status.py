"""What is said of one obligation: the status of its formulas and of its sentence, what they rest on, what is left out.

Nothing here is typed by hand: the formulas' status is computed from the facts that the kernel has replayed, from the
gaps that the obligation names, and from its premises. A chain is as weak as its weakest link.  The sentence has a
status of its own (`proofs.sentences`), which no fact of the kernel raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from proofs import balls
from proofs import kernel as k
from proofs.algebra import Claim
from proofs.coq.taken import Taken, parted
from proofs.registry import Obligation
from proofs.sentences import BY_GOALS, FALSE, printed, sentence_of

# Of formulas, from the strongest to the weakest; what is refuted stands apart.
STATUSES: Final = (
    "proved", "certified", "by construction", "proved in part", "assumed", "tested", "open", "refuted"
)  # fmt: skip
NO_GOALS: Final = "-"  # the formulas of an obligation that has no goals
INFINITE: Final = "on output spaces that are not finite:"
NO_FORMULA: Final = "about no formula of the library"
ONE_CHECKER: Final = "one checker"
NONE_TAKEN: Final = frozenset[Taken]()
_BALLS: Final = frozenset({"cover", "refute", "distinguish"})
_WITNESSES: Final = frozenset({"refute", "distinguish"})
_SHORT: Final = 120  # claims that are longer are not written out


@dataclass(frozen=True)
class Gap:
    """What an obligation leaves out.

    Attributes:
        obligation: Id of the obligation that names the gap: the row's own, or a premise's, however far below.
        text: What is not proved, in words.
    """

    obligation: str
    text: str


@dataclass(frozen=True)
class Row:
    """What ``dpref prove`` says of one obligation.

    Attributes:
        id: Its name.
        paper: Short name of the paper or topic.
        item: The paper's item.
        title: A few words.
        sentence: Computed, of its words: one of `proofs.sentences.SENTENCES`.
        sentence_by: What gives the sentence its status: theorems of Coq, a citation, tests; empty for a reader's word.
        formulas: Computed, of its goals: one of `STATUSES`, or `NO_GOALS`.
        goals: The goals as the kernel has replayed them, printed; empty text for one that is too long.
        evidence: Which rules, how many facts, which boxes.
        witness: For a refuted statement, where it is false.
        about: Ids of the library's formulas; empty means that it is about no formula of the library.
        assumptions: Citations that it rests on.
        beyond: Citations that it rests on where outputs are not finite, and Coq proves where they are.
        theorems: The theorems of Coq that it names itself.
        taken: The theorems of Coq from which the kernel takes facts, here or in a premise; Coq alone has checked them.
        gaps: What is not proved, here and in the premises; its own gap first.
        repaired_by: The right form's id, for a refuted one.
        problems: Why the check fails; empty when it passes.
        one_checker: Why only the kernel has checked it, and not Coq; nothing where both have.
    """

    id: str
    paper: str
    item: str
    title: str
    sentence: str
    sentence_by: tuple[str, ...]
    formulas: str
    goals: tuple[str, ...]
    evidence: str
    witness: str
    about: tuple[str, ...]
    assumptions: tuple[str, ...]
    beyond: tuple[str, ...]
    theorems: tuple[str, ...]
    taken: tuple[str, ...]
    gaps: tuple[Gap, ...]
    repaired_by: str
    problems: tuple[str, ...] = ()
    one_checker: str = ""

    @property
    def named(self) -> str:
        """The title; where the sentence is printed from the goals, these in its place, and the title as a remark.

        A sentence that is refuted by computation is printed from the goals that are false, and from no other.
        """
        if self.sentence_by != BY_GOALS:
            return self.title
        wrong = [goal for goal in self.goals if goal.startswith(FALSE)]
        return f"{'; '.join(wrong or self.goals)} ({self.title})"

    @property
    def resting(self) -> tuple[str, ...]:
        """What a refutation takes from the literature; nothing for any other status, whose words say it."""
        return self.assumptions if self.formulas == "refuted" else ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a reader has to know beside the status, in the words that every table shows."""
        resting = [f"resting on {'; '.join(self.resting)}"] if self.resting else []
        own = [f"not proved: {g.text.rstrip('.')}" for g in self.gaps if g.obligation == self.id]
        below = list(dict.fromkeys(g.obligation for g in self.gaps if g.obligation != self.id))
        inherited = [f"with the gaps of {', '.join(below)}"] if below else []
        alone = [ONE_CHECKER] if self.one_checker else []
        noun = "theorem" if len(self.taken) == 1 else "theorems"
        alone += [f"by Coq's {noun} {', '.join(self.taken)}"] * bool(self.taken)
        return (*resting, *alone, *([] if self.about else [NO_FORMULA]), *own, *inherited)


def row_of(
    o: Obligation,
    facts: Sequence[k.Fact],
    premises: Sequence[tuple[Row, str]] = (),
    accepted: frozenset[Taken] = NONE_TAKEN,
    stated: frozenset[str] = frozenset(),
) -> tuple[Row, str]:
    """Return the row of an obligation, and the weakest status along its facts and premises, which others rest on.

    Args:
        o: The obligation.
        facts: Its facts.
        premises: What this function returns for its premises, in their order.
        accepted: The facts that Coq is known to have proved for the kernel (`proofs.coq.privacy.accepted`).
        stated: The theorems that Coq is known to have checked (`proofs.sentences.recorded`).
    """
    below, links = [row for row, _ in premises], [link for _, link in premises]
    cited, taken = parted(facts, accepted)
    own = [Gap(o.id, o.not_proved)] if o.not_proved else []
    beyond = [t.beyond for t in o.theorems if t.beyond]
    own += [Gap(o.id, f"{INFINITE} {text}") for text in beyond]
    chain = chain_of(o, facts, links, accepted)
    formulas = of_goals(chain, facts, accepted) if facts else NO_GOALS
    sentence = sentence_of(o, formulas, chain, stated)
    row = Row(
        o.id, o.paper, o.item, o.title, sentence.status, sentence.by, formulas, tuple(map(printed, facts)),
        evidence(o, facts, accepted), witness(facts), o.about,
        tuple(sorted(cited.union(*(p.assumptions for p in below)))),
        tuple(sorted({*beyond, *(text for p in below for text in p.beyond)})),
        tuple(t.name for t in o.theorems),
        tuple(sorted(taken.union(*(p.taken for p in below)))),
        tuple(dict.fromkeys([*own, *(g for p in below for g in p.gaps)])), o.repaired_by,
    )  # fmt: skip
    return row, chain


def chain_of(
    o: Obligation, facts: Sequence[k.Fact], premises: Sequence[str], accepted: frozenset[Taken] = NONE_TAKEN
) -> str:
    """Return the weakest evidence along the facts, the gap, the tests and the premises' chains.

    Facts by construction count only where there are no others and no theorem of Coq. A refutation needs a fact that is
    false at a witness, and premises that are no weaker than *assumed*; a refuted premise gives nothing.
    """
    links = ["open" if p == "refuted" else p for p in premises]
    if o.open_because:
        return "open"
    if o.refutes and any(f.rule in _WITNESSES for f in facts):
        return "refuted" if _weakest(["assumed", *links]) == "assumed" else "open"
    kinds = [_fact_status(f, accepted) for f in facts]
    counted = [kind for kind in kinds if kind != "by construction"] or kinds * (not o.theorems)
    links += ["proved in part" if t.beyond else "proved" for t in o.theorems]
    links += counted + ["tested"] * bool(o.tests)
    return _weakest(links + ["proved in part"] * bool(o.not_proved)) if links else "open"


def of_goals(chain: str, facts: Sequence[k.Fact], accepted: frozenset[Taken]) -> str:
    """Return the status of the goals; a theorem of Coq holds up what rests on it, and leaves them what they are."""
    built = all(_fact_status(f, accepted) == "by construction" for f in facts)
    return _weakest([chain, "by construction"]) if built else chain


def _weakest(statuses: Sequence[str]) -> str:
    return max(statuses, key=STATUSES.index)


def _fact_status(fact: k.Fact, accepted: frozenset[Taken]) -> str:
    rules = fact.rules()
    if "axiom" in rules and parted([fact], accepted)[0]:
        return "assumed"
    if by_construction(fact.claim) and fact.rule != "distinguish":  # which also checks two distributions
        return "by construction"
    return "certified" if rules & _BALLS else "proved"


def by_construction(claim: Claim) -> bool:
    """Whether sympy has left the kernel nothing to check: a rational number is compared with zero.

    >>> import sympy as sp
    >>> x = sp.Symbol("x")
    >>> claims = Claim(sp.S.One / 3, ">", ()), Claim(x - x, "==", ()), Claim(x * (x + 1) - x**2 - x, "==", ())
    >>> [by_construction(claim) for claim in claims]
    [True, True, False]
    """
    return bool(claim.expr.is_Rational)


# ------------------------------------------------------------------------------------ words


def evidence(o: Obligation, facts: Sequence[k.Fact], accepted: frozenset[Taken] = NONE_TAKEN) -> str:
    """What the status rests on, in one line.

    >>> from proofs.registry import registry
    >>> evidence(registry()["zcdp/to-dp"], [])
    'nothing'
    """
    about = [NO_FORMULA] * (not o.about)
    if o.open_because:
        return "; ".join([o.open_because.rstrip("."), *about])
    axioms = [f for f in facts if f.rule == "axiom"]
    cited = [f for f in axioms if parted([f], accepted)[0]]
    trivial = [f for f in facts if _fact_status(f, accepted) == "by construction"]
    counted = [f for f in facts if f not in axioms and f not in trivial]
    taken = sorted(parted(facts, accepted)[1])
    parts = []
    if counted:
        rules = frozenset[str]().union(*(f.rules() for f in counted))
        rules -= {"axiom"} if not parted(counted, accepted)[0] else set()
        parts.append(f"{_count(counted, 'fact')} by {', '.join(sorted(rules))}")
    if trivial:
        parts.append(f"{'and ' * bool(parts)}{len(trivial)} by construction")
    parts = [" ".join(parts)] * bool(parts)
    parts += [_count(cited, "citation")] * bool(cited)
    parts += [f"facts taken from Coq's {', '.join(taken)}"] * bool(taken)
    parts += [f"proved in Coq by {', '.join(t.name for t in o.theorems)}"] * bool(o.theorems)
    leaves = sum(f.args[2].split().count("0") for g in counted for f in _leaves(g))
    parts += [f"{leaves} boxes of ball arithmetic"] * (leaves > 0)
    parts += [f"tested by {t}" for t in o.tests]
    alone = "what it rests on" if o.premises and not o.goals() else "nothing"
    return "; ".join([*(parts or [alone]), *about])


def _count(facts: Sequence[k.Fact], noun: str) -> str:
    return f"{len(facts)} {noun}{'s' * (len(facts) != 1)}"


def _leaves(fact: k.Fact) -> Iterator[k.Fact]:
    if fact.rule == "cover":
        yield fact
    for p in fact.premises():
        yield from _leaves(p)


def witness(facts: Sequence[k.Fact]) -> str:
    """Where a refuted claim is false, and by how much."""
    found = []
    for f in facts:
        if f.rule == "refute":
            at = {s: (balls.fraction(q), balls.fraction(q)) for s, q in f.args[3]}
            point = ", ".join(f"{s} = {q}" for s, q in f.args[3])
            value = balls.evaluate(f.claim.expr, at, f.args[4]).str(12, radius=False)
            text = f"{f.claim.expr} {f.claim.relation.removeprefix('not ')} 0"
            claim = text if len(text) <= _SHORT else "the claim"
            found.append(f"{claim} is false{' at ' * bool(point)}{point}: the left side is {value}")
        elif f.rule == "distinguish":
            found.append(f"outputs {f.args[0]} and {f.args[1]}, event {f.args[2]}")
    return "; ".join(found)
