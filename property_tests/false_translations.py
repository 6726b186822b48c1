"""Certificates of false theorems that aim at the translation to Coq: each would pass if it left one thing out.

Of each, three things are shown.  The kernel refuses it, and a kernel that looks less closely in one place accepts it.
A translator that leaves one thing out (``careless``) writes a theorem of it that Coq proves.  The translator as it is
refuses it, or writes a theorem whose negation Coq proves: then no script whatever can prove it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import sympy as sp

from proofs import kernel as k
from proofs.search import numbers
from proofs.terms import Domain, Interval, Sum, loop_of, total
from property_tests.false_theorems import Step, sign, step

X, Y, T, N = sp.symbols("x y t n")
ZERO, ONE = sp.S.Zero, sp.S.One
_closed: Final = numbers("x", lo=0, hi=1, ends="[]")

# The kernel's side conditions (`property_tests.side_conditions`).
POLES: Final = "_normal: p < 0 and self.sign(b) not in ('+', '-')"
LOGARITHMS: Final = "logarithm: s != '+'"
ROOTS: Final = "split: out and out[0][2] not in ('+', '0+')"
SIGNS: Final = "sign: ring.sign(ring.normal(expr)) in {'>': ('+',), '>=': ('+', '0+', '0')}[relation]"

# The translator where it leaves something out.
_NO_DENOMINATOR: Final = (
    "        elif q < 0:\n            found.append(",
    "        elif False:\n            found.append(",
)
_NO_BASE: Final = ("            found.append(f\"0 {'<='", "            _ = (f\"0 {'<='")


@dataclass(frozen=True)
class FalseTranslation:
    """A certificate of something false, at which the translation is aimed.

    Attributes:
        name: What the translation would have to leave out.
        certificate: Plain JSON.
        why: A regular expression for the kernel's refusal.
        without: The kernel's side conditions without which it is accepted.
        careless: Changes of the translator (old text, new text) under which its theorem can be proved.
        proof: That proof.
        refused: A regular expression for the translator's refusal; nothing where it writes a theorem.
        disproof: The proof that the theorem is false, where one is written.
    """

    name: str
    certificate: dict[str, Any]
    why: str
    without: tuple[str, ...]
    careless: tuple[tuple[str, str], ...]
    proof: str
    refused: str = ""
    disproof: str = ""


FOUND: Final[list[FalseTranslation]] = []


def _false(claim: tuple[sp.Expr, str, Domain], made: Step, name: str, why: str, *without: str, **more: Any) -> None:
    c = {"claim": k.encode(claim), **made["fact"]}
    FOUND.append(FalseTranslation(name, json.loads(json.dumps(c)), why, without, **more))


def _sign(expr: sp.Expr, relation: str, domain: Domain, *rest: Any, **more: Any) -> None:
    _false((expr, relation, domain), sign(expr, relation, domain), *rest, **more)


_sign(
    sp.exp(1 / X), ">", _closed, "a denominator may be zero", "may vanish", POLES,
    careless=(_NO_DENOMINATOR,), proof="intros. apply exp_pos.",
    disproof="intros H. destruct (H 0 ltac:(lra) ltac:(lra)). lra.",
)  # fmt: skip
_false(
    (sp.log(X) ** 2, ">=", _closed), step("squares", sp.log(X) ** 2, [[ONE, sp.log(X)]], _closed, []),
    "a logarithm is of any number", "which may vanish", LOGARITHMS,
    careless=((' + [f"0 < {term(x, running)}" for x in a if head == "log"]', ""),),
    proof="intros. apply pow2_ge_0.", disproof="intros H. destruct (H 0 ltac:(lra) ltac:(lra)). lra.",
)  # fmt: skip
_sign(
    sp.sqrt(X), ">=", numbers("x", lo=-1, hi=0, ends="[]"), "a root is of any number", "not known to be positive",
    ROOTS, careless=(_NO_BASE,), proof="intros. apply sqrt_pos.",
    disproof="intros H. destruct (H (-1) ltac:(lra) ltac:(lra)). lra.",
)  # fmt: skip
_sign(
    X**Y, ">", numbers("x", lo=-1, hi=0) + numbers("y", lo=0, hi=1), "a power has any base",
    "not known to be positive", ROOTS, LOGARITHMS, careless=(_NO_BASE,), proof="intros. apply exp_pos.",
    disproof="intros H. destruct (H (-1 / 2) (1 / 2) ltac:(lra) ltac:(lra) ltac:(lra) ltac:(lra)). lra.",
)  # fmt: skip
_false(
    (ZERO, "==", _closed), step("identity", 1 / X, 1 / X, _closed, []), "an identity has no sides", "may vanish",
    POLES, careless=(('fact["args"][:2] if fact["rule"] == "identity" else []', "[]"),), proof="reflexivity.",
    disproof="intros H. destruct (H 0 ltac:(lra) ltac:(lra)). lra.",
)  # fmt: skip
_sign(
    X, ">", _closed, "a closed end is open", "not certain", SIGNS,
    careless=(("'<=' if ends[0] == '[' else '<'", "'<'"),), proof="intros. lra.",
    disproof="intros H. specialize (H 0). lra.",
)  # fmt: skip
_sign(
    X, ">", _closed, "more than is not less than", "not certain", SIGNS,
    careless=(('">": "0 < {}"', '">": "0 <= {}"'),), proof="intros. lra.",
    disproof="intros H. specialize (H 0). lra.",
)  # fmt: skip
_sign(
    X * (1 - X), ">", (Interval(X, ONE, ZERO, "()"),), "an interval may be turned round", "not an interval",
    "check_box: bool(lo < hi or (lo == hi and ends == '[]'))",
    careless=(("if not (known and some and ends", "if not (known and ends"),), proof="intros. lra.",
    refused="no interval, or one without points",
)  # fmt: skip
_sign(
    sp.pi - 4, ">", numbers("PI", lo=5, hi=6, ends="[]"), "a symbol is called like a number", "not certain",
    SIGNS,
    careless=(('return f"v_{name}"', "return str(name)"),), proof="intros. lra.",
    disproof="intros H. specialize (H 5). pose proof PI_4. lra.",
)  # fmt: skip

# Refutations: a witness that is none.
_half = sp.Rational(1, 2)
_false(
    ((N - _half) ** 2, "not >", (Interval(N, ZERO, sp.oo, "[)", integer=True),)),
    step("refute", (N - _half) ** 2, ">", (Interval(N, ZERO, sp.oo, "[)", integer=True),), [[N, _half]], 64),
    "an integer is a real number", "not a rational point", "refute: not integer or v.is_Integer",
    careless=((', f"isint {x}" * integer)', ", '')"),), proof="exists (1 / 2). lra.",
    disproof="""intros (v & _ & [n ->] & H). assert (IZR n - 1 / 2 <> 0).
      { intros E. assert (F : IZR (2 * n) = IZR 1) by (rewrite mult_IZR; lra). apply eq_IZR in F. lia. }
      apply H. nra.""",
)  # fmt: skip
_point = numbers("x", lo=0, hi=0, ends="[]")
_false(
    (-sp.exp(1 / X), "not >=", _point), step("refute", -sp.exp(1 / X), ">=", _point, [[X, ZERO]], 64),
    "a refutation is where nothing is defined", "does not refute",
    "refute: false", careless=(_NO_DENOMINATOR,),
    proof="exists 0. pose proof (exp_pos (/ 0)). lra.", disproof="intros (v & A & B & C & _). lra.",
)  # fmt: skip
_open = numbers("x", lo=0, hi=1)
_false(
    (X, "not >", _open), step("refute", X, ">", _open, [[X, -ONE]], 64), "a refutation is outside of the box",
    "outside", "refute: bool(lo < v or (lo == v and ends[0] == '['))",
    careless=(('[*here, *means, f"~', '[*means, f"~'),), proof="exists (-1). lra.",
    disproof="intros (v & A & B & N). lra.",
)  # fmt: skip

# Sums, totals and loops: what they are made of.
_one = sign(sp.exp(1 / X), ">", _closed)
_false(
    (total(sp.exp(1 / X)), ">", _closed), step("accumulate", _one, [[ONE, sp.exp(1 / X)]]),
    "a total is of anything", "may vanish", POLES,
    careless=(("for c in defined(a[0], running)]\n", "for c in []]\n"),),
    proof="""intros l N _. destruct l as [ | p l]; [easy | clear N]. simpl. apply Rplus_lt_le_0_compat. apply exp_pos.
      induction l; simpl. lra. pose proof (exp_pos (/ a)). lra.""",
    disproof="""intros H. destruct (H [0] ltac:(easy) ltac:(intros p [<- | []]; lra)) as [D _].
      specialize (D 0 (or_introl eq_refl)). simpl in D. lra.""",
)  # fmt: skip
_started = numbers("x", "y")[:1] + numbers("y", lo=0, hi=1, ends="[]")
_loop = loop_of(X, X, sp.exp(1 / Y), X)
_false(
    (_loop, ">=", _started),
    step("loop", X, ">=", [[X, sp.exp(1 / Y), X]], ONE, sign(sp.exp(1 / Y), ">", _started[1:]),
         sign(ZERO, ">=", _started), _started, []),
    "a loop starts anywhere", "may vanish", POLES, careless=(('join([*starts, f"', 'join([f"'),),
    proof="""intros x H. apply (H (fun x => 0 <= x)); intros; auto. left. apply exp_pos.""",
    disproof="intros [H _]. specialize (H 0). lra.",
)  # fmt: skip
_ten = numbers("t", lo=10, hi=10, ends="[]")
_own = Sum(1 / (T - 5), T, ONE, T - 1)
_false(
    (ZERO, "==", _ten), step("identity", _own, _own, _ten, []), "a sum runs up to its own symbol", "is not a term",
    "check_term: ok.get(e.func, e.func in SMOOTH and n == 1)",
    careless=(('symbols(a[3]) if head == "Sum" else ', ""),),
    proof="""intros t A B. assert (t = 10) by lra. subst t.
      repeat split; try lra. exists 9%Z. lra. intros. lra.""",
    refused="a sum up to its own v_t",
)  # fmt: skip


# The false theorems that abuse one rule, the review's two among them: why what they claim is false, said in Coq.
_AT = "intros H. specialize (H {}). nra."
DISPROOFS: Final[dict[str, str]] = {
    **dict.fromkeys(
        (
            "false-1-equals-0", "a bound that jumps", "a bound with another value", "a captured symbol",
            "another slope", "a case at a pole", "an instance outside", "an integer that is none",
            "the end of an open interval", "a sum without a base",
        ),
        "intros H. lra.",
    ),
    **dict.fromkeys(("equals at a pole", "equals inside a head"), _AT.format("0 0")),
    "false-0-greater-0": _AT.format("(-1 / 2)"),
    **dict.fromkeys(
        (
            "strict for nothing", "a premise on a part of the box", "a weak sign for a strict one",
            "strict at the end itself", "a minimum that is none",
        ),
        _AT.format("0"),
    ),
    **dict.fromkeys(
        (
            "a refutation as a premise", "growth of another function", "another start",
            "a premise about integers on a real box",
        ),
        _AT.format("(1 / 2)"),
    ),
    **dict.fromkeys(
        (
            "a negative multiplier", "boxes with a gap", "a negative weight", "an equation from an inequality",
            "a minimiser outside", "a maximum", "half of a box",
        ),
        _AT.format("1"),
    ),
    "an integer left out": "intros H. specialize (H 1 ltac:(lra) ltac:(now exists 1%Z)). nra.",
    "totals over two boxes": """intros H. specialize (H [2; 2 / 5; 2 / 5] ltac:(easy)
      ltac:(intros p [<- | [<- | [<- | []]]]; lra)). simpl in H. lra.""",
    "a sum of other terms": """intros H. specialize (H [1 / 2] ltac:(easy) ltac:(intros p [<- | []]; lra)).
      simpl in H. lra.""",
    "terms that change": """intros H. destruct (H 2 ltac:(lra) ltac:(now exists 2%Z)) as (_ & _ & E).
      unfold sum_from in E. replace (2 - 1) with (IZR 1) in E by lra.
      assert (I : Int_part (IZR 1) = 1%Z).
      { unfold Int_part. replace (up (IZR 1)) with 2%Z. reflexivity. apply tech_up; lra. }
      rewrite I in E. simpl in E. lra.""",
    "a state that leaves": """intros H. specialize (H (2 * (2 * (1 / 2))) ltac:(intros S A B; apply B, B, A)).
      lra.""",
    "a ratio that turns the sign": "intros H. specialize (H (-1 * 1) ltac:(intros S A B; apply B, A)). lra.",
}  # fmt: skip
# Of these no statement can be read: a symbol that runs, or is chosen anew at each step, stands outside of its place.
UNBOUND: Final = {"a parameter that runs": "v_a", "an invariant of other symbols": "v_y"}
