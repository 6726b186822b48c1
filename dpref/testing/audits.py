r"""What the fixtures of `dpref.pytest_plugin` are made of.

**One error for a whole session.**  Its statistical tests together wrongly fail with probability at most $\alpha$
(``--dpref-error``).  A test names its share, or gets $\frac6{\pi^2k^2}\alpha$, rounded down, k being its rank among all
that were ever seen: in the order in which they were first seen, ties by their names.  Ranks are kept in
``.dpref/shares.json`` and only appended to, so that no new test, no choice of tests and no order moves the share of
another.  A share is divided among the three statements of an audit.

**Seeds** are digests of a test's name and of ``--dpref-seed``: a run can be repeated, and a test of correct code
does not fail now and then; the error is over the choice of the seed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

import pytest

from dpref.errors import DprefError, InvalidArgumentError
from dpref.foreign.claims import Claim, DPClaim, GDPClaim, ZCDPClaim
from dpref.foreign.digits import short_down, short_up
from dpref.foreign.mechanism import audit_mechanism
from dpref.foreign.report import Judgement
from dpref.privacy.events.expression import parse_number
from dpref.units import Adjacency, adjacency_named

SHARES: Final = Path(".dpref", "shares.json")
_BASEL: Final = Fraction(60792710185402, 10**14)  # 6 / pi^2, rounded down
NOT_PLANNED: Final = (
    "dp_audit must be an argument of the test, or of a fixture that is one: asked for while tests run, it has no share"
    " of the error"
)
_STATEMENTS: Final = 3  # values, low-order bits, control


@final
@dataclass(frozen=True)
class Plan:
    """What the statistical tests of a session may spend.

    Attributes:
        error: Together.
        shares: Of each, by its node id.
        seed: What goes into every seed.
    """

    error: Fraction
    shares: Mapping[str, Fraction]
    seed: int

    @property
    def line(self) -> str:
        """One line for the header."""
        count = len(self.shares)
        tests = "1 statistical test" if count == 1 else f"{count} statistical tests, together"
        shown = f"dpref: {tests} wrong with probability at most {float(self.error):g} where the code is right"
        return shown + (f"; --dpref-seed {self.seed}" if self.seed else "")


def planned(config: pytest.Config, items: Sequence[pytest.Item]) -> Plan:
    """The shares of a session's statistical tests.

    Args:
        config: Of the session.
        items: The tests.

    Raises:
        pytest.UsageError: If they are more than the error allows, or a number is none.
    """
    try:
        error = parse_number(config.getoption("dpref_error") or config.getini("dpref_error"), "--dpref-error")
        if not 0 < error < 1:
            raise InvalidArgumentError("--dpref-error", error, "must lie strictly between 0 and 1")
        seed = parse_number(config.getoption("dpref_seed"), "--dpref-seed")
        if seed.denominator != 1:
            raise InvalidArgumentError("--dpref-seed", seed, "must be an integer or 'random'")
        named = {item.nodeid: _named(item) for item in items}
    except DprefError as problem:
        raise pytest.UsageError(f"dpref: {problem}") from None
    ranks = _ranks(config.rootpath / SHARES, [name for name, share in named.items() if share is None])
    shares = {n: error * _BASEL / ranks[n] ** 2 if share is None else share for n, share in named.items()}
    total = sum(shares.values(), Fraction(0))
    if total > error:
        rule = f"the shares of {len(shares)} tests add up to {float(total):g}; raise it, or name smaller shares"
        raise pytest.UsageError(f"dpref: --dpref-error = {float(error):g}: {rule}")
    return Plan(error, shares, int(seed))


def _named(item: pytest.Item) -> Fraction | None:
    mark = item.get_closest_marker("dpref")
    if mark is None or "error" not in mark.kwargs:
        return None
    share = parse_number(str(mark.kwargs["error"]), f"{item.nodeid}: error")
    if not 0 < share < 1:
        raise InvalidArgumentError(f"{item.nodeid}: error", share, "must lie strictly between 0 and 1")
    return share


def _ranks(path: Path, names: Iterable[str]) -> dict[str, int]:
    """The ranks of tests, of new ones after all that were ever seen; they are kept."""
    try:
        kept: list[str] = json.loads(path.read_text(encoding="utf-8"))["seen"] if path.exists() else []
    except (ValueError, KeyError, TypeError):
        raise pytest.UsageError(f"dpref: {path}: is not what dpref wrote; restore it, or delete it") from None
    new = sorted(set(names) - set(kept))
    if new:
        kept = [*kept, *new]
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        fresh.write_text(json.dumps({"seen": kept}, indent=1) + "\n", encoding="utf-8")
        fresh.replace(path)
    return {name: rank for rank, name in enumerate(kept, start=1)}


def seed_of(name: str, salt: int) -> int:
    """The seed of a test.

    Args:
        name: Its node id.
        salt: Of ``--dpref-seed``.

    >>> seed_of("test_a.py::test_b", 0) == seed_of("test_a.py::test_b", 0) != seed_of("test_a.py::test_b", 1)
    True
    """
    return int.from_bytes(hashlib.sha256(f"{salt} {name}".encode()).digest()[:4], "big")


# ------------------------------------------------------------------------------------ audits


@final
class Auditing:
    """The fixture ``dp_audit``: called with a mechanism, a pair and a claim, it audits, once a test.

    Args:
        request: Of the test.
        plan: Of the session.
    """

    def __init__(self, request: pytest.FixtureRequest, plan: Plan) -> None:
        self._request, self._plan = request, plan
        self._done = False

    def __call__(
        self,
        f: Any,
        pair: Any = None,
        *,
        epsilon: Any = None,
        delta: Any = 0,
        rho: Any = None,
        mu: Any = None,
        adjacency: str | type[Adjacency] | None = None,
        **more: Any,
    ) -> Audited:
        """Audit a callable.

        Args:
            f: ``(data, rng) -> output``, or ``"package.module:function"``.
            pair: Two neighbouring data sets, or a callable that yields such pairs; else the mark's.
            epsilon: Of the claim, with ``delta``: a number, or text such as ``"1e-5"``.
            delta: Of the claim.
            rho: Instead, of a zCDP claim.
            mu: Instead, of a Gaussian-DP claim.
            adjacency: A name or a class of `dpref.units`; else the mark's.
            more: What else `dpref.foreign.mechanism.audit_mechanism` takes; it goes before the mark's.

        Raises:
            pytest.UsageError: If it is called a second time in one test, or something is missing.
        """
        node = self._request.node
        if self._done:
            raise pytest.UsageError(
                f"{node.nodeid}: dp_audit is for one audit a test, which spends its share; parametrize"
            )
        if node.nodeid not in self._plan.shares:
            raise pytest.UsageError(f"{node.nodeid}: {NOT_PLANNED}")
        self._done = True
        mark = node.get_closest_marker("dpref")
        given = {**(dict(mark.kwargs) if mark else {}), **more}
        given.pop("error", None)
        chosen, relation = given.pop("pair", None), given.pop("adjacency", None)
        pair, relation = (chosen if pair is None else pair), (relation if adjacency is None else adjacency)
        if pair is None or relation is None:
            raise pytest.UsageError(f"{node.nodeid}: dp_audit needs a pair and an adjacency, here or in the mark dpref")
        folder = self._request.config.getoption("dpref_store")
        if folder:
            given.setdefault("store", folder)
        judgement = audit_mechanism(
            f,
            pair,
            _claim(epsilon, delta, rho, mu),
            adjacency=adjacency_named(relation) if isinstance(relation, str) else relation,
            error=self._plan.shares[node.nodeid] / _STATEMENTS,
            **{"seed": seed_of(node.nodeid, self._plan.seed), **given},
        )
        audited = Audited(judgement, node.nodeid, self._plan)
        node.add_report_section("call", "dpref", audited.text)
        for name in ("outcome", "lower", "ceiling", "trials", "seed"):
            node.user_properties.append((f"dpref_{name}", getattr(judgement, name)))
        return audited


@final
@dataclass(frozen=True)
class Audited:
    """What an audit found, with the asserts about it.

    Attributes:
        judgement: Everything.
        node: The test.
        plan: Of the session.
    """

    judgement: Judgement
    node: str
    plan: Plan

    @property
    def text(self) -> str:
        """What a report shows."""
        j = self.judgement
        lower, most = short_down(j.lower, 6), short_up(j.ceiling, 6)
        lines = [
            f"{j.outcome}: {j.target} on {j.pair}, {j.trials} pairs of runs, {j.adjacency.name}",
            f"claim {j.claim}; shown at least {lower}, could have shown at most {most}",
            j.reason,
        ]
        for s in j.statements:
            hits, alarms, runs = s.counts
            lines.append(
                f"{s.name}: e-value {short_down(s.e_value, 3)}"
                + (f" after {s.at} pairs" if s.at else "")
                + f"; {s.event}: {hits} against {alarms} of {runs}"
            )
        lines += [f"warning: {warning}" for warning in j.warnings]
        lines.append(f'again: pytest "{self.node}" --dpref-seed {self.plan.seed} --dpref-error {self.plan.error}')
        return "\n".join(lines)

    def assert_not_refuted(self) -> None:
        """Fail if the claim is refuted, or the audit ended in an error."""
        __tracebackhide__ = True
        if self.judgement.outcome != "not refuted":
            pytest.fail(self.text, pytrace=False)

    def assert_refuted(self) -> None:
        """Fail if the claim is not refuted: of a mechanism that is known to be broken."""
        __tracebackhide__ = True
        if self.judgement.outcome != "refuted":
            pytest.fail(self.text, pytrace=False)


def _claim(epsilon: Any, delta: Any, rho: Any, mu: Any) -> Claim:
    given = {name: value for name, value in (("epsilon", epsilon), ("rho", rho), ("mu", mu)) if value is not None}
    if len(given) != 1:
        raise InvalidArgumentError("epsilon", epsilon, "exactly one of epsilon, rho and mu must be given")
    ((name, value),) = given.items()
    number = _exact(name, value)
    if name == "epsilon":
        return DPClaim(number, _exact("delta", delta))
    return ZCDPClaim(number) if name == "rho" else GDPClaim(number)


def _exact(name: str, value: Any) -> Fraction:
    """A number of a test: exact, text, or a double as it is written."""
    return Fraction(value) if isinstance(value, Fraction | int) else parse_number(str(value), name)
