"""Proofs of the rules of ball arithmetic, by coq-interval.  Untrusted."""

from __future__ import annotations

import sympy as sp

from proofs import balls
from proofs import kernel as k
from proofs.coq.scripts.algebra_rules import finish
from proofs.coq.scripts.lemmas import CLAIMED, SPLIT, STATED, Lemmas, proposition, script
from proofs.coq.scripts.scene import conditions, text


def bisecting(f: k.Fact, depth: int = 30, prec: int = 60) -> str:
    """coq-interval's options for a box."""
    return ", ".join([*(f"i_bisect {text(d.symbol)}" for d in f.claim.domain), f"i_depth {depth}", f"i_prec {prec}"])


@script
def cover(book: Lemmas, f: k.Fact) -> str:
    """Positive on a closed box."""
    tries = " | ".join(f"interval with ({bisecting(f, prec=p)})" for p in (60, max(200, f.args[3])))
    return finish(book, f, [f"unfold Rpower; rewrite ?tanh_exp; first [{tries}]."])


@script
def distinguish(book: Lemmas, f: k.Fact) -> str:
    """A number is positive."""
    return "intros; unfold Rpower; interval with (i_prec 200)."


@script
def refute(book: Lemmas, f: k.Fact) -> str:
    """Nothing is said before the claim itself."""
    return "exact I."


STATED["refute"] = lambda f: "True"


def refuted(book: Lemmas, f: k.Fact, name: str) -> str:
    """The witness, at which the formula is defined and the relation is false."""
    expr, _, domain, witness, prec = f.args
    at = dict(witness)
    t = text(expr, at)
    point = {s: (balls.fraction(q), balls.fraction(q)) for s, q in at.items()}
    v = balls.evaluate(expr, point, prec)
    lines = [f"exists {text(at[d.symbol])}." for d in domain]
    if v > 0 or v < 0:
        lines.append(f"assert (Value : {f'0 < {t}' if v > 0 else f'{t} < 0'}) by at_point.")
    else:
        s = book.scene(())
        s.look(expr, images=at)
        value = s.value(expr, at)
        lines += [*s.out, f"assert (Value : {t} = 0) by ({s.equal(t, value, sp.S.Zero)})."]
    each = "first [lra | at_point | isints | intros N; lra]"
    return "\n  ".join([*lines, f"repeat match goal with |- _ /\\ _ => split end; {each}."])


def covered(book: Lemmas, f: k.Fact, name: str) -> str:
    """The formula is defined on the box, by intervals, and positive."""
    lines = [book.intro(f.claim.domain), book.known(f, "Value")]
    for i, (r, e) in enumerate(dict.fromkeys(conditions(f.claim.expr))):
        numbers = f"unfold Rpower; rewrite ?tanh_exp; first [lra | interval with ({bisecting(f)})]"
        sides = f"first [apply Rgt_not_eq; unfold Rgt; {numbers} | apply Rlt_not_eq; {numbers}]"
        lines.append(f"assert (D{i} : {proposition(r, e)}) by ({sides if r == '<>' else numbers}).")
    return "\n  ".join([*lines, SPLIT])


CLAIMED["refute"] = refuted
CLAIMED["cover"] = CLAIMED["distinguish"] = covered
