"""What a claim is about, as something that can be judged and run.

A `Subject` is an algorithm together with everything that an audit fixes: parameters, an adjacency, what is released and
one pair of neighbouring data sets.  It answers three questions, which are three kinds of evidence:

* `Subject.ledger`: what is spent, by the algorithm's own description (the accountant's *upper* side);
* `Subject.witnesses`: how far apart the released outputs of some pair are at least (the certified *lower* side);
* `Subject.scores`: what an adversary sees when it is run (the empirical lower side).

The first two are the library's word where `dpref.audit.builders.build` has made the subject; of any other subject they
are declared, and a verdict rests on its scores alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, Protocol, TypeAlias, final

import numpy as np
from flint import arb

from dpref.privacy.events.ledger import Ledger
from dpref.reals import FloatArray
from dpref.units import Adjacency

Release: TypeAlias = Literal["output", "transcript"]
Neighbour: TypeAlias = Literal[0, 1]
Unit: TypeAlias = Literal["mu-squared", "rho", "epsilon"]

RELEASES: tuple[Release, ...] = ("output", "transcript")


@final
@dataclass(frozen=True)
class Witness:
    """A certified lower bound on what a release loses.

    Attributes:
        name: Short, as the JSON has it.
        unit: Of which number: the squared parameter of a Gaussian pair, rho of zCDP, or epsilon at the claim's delta.
        value: The bound: exact, a double that was rounded down, or a ball whose lower end is used.
        attained: On which losses and data, in a reader's words.
        obligations: Ids of the obligations that it rests on; none where its derivation is in the docstring alone.
    """

    name: str
    unit: Unit
    value: Fraction | float | arb
    attained: str
    obligations: tuple[str, ...] = ()


class Subject(Protocol):
    """An algorithm, a release and a pair of neighbouring data sets, number 0 and number 1."""

    @property
    def adjacency(self) -> type[Adjacency]:
        """The neighbouring relation in which the pair is a pair and the ledger is stated."""
        ...

    @property
    def release(self) -> Release:
        """What the adversary sees: the final output, or every noisy answer."""
        ...

    def ledger(self) -> Ledger[Any]:
        """What one run spends, stated for every pair of neighbours (never less than the truth)."""
        ...

    def witnesses(self, delta: Fraction) -> Sequence[Witness]:
        """Certified lower bounds on what the release loses, each on a pair of its own.

        Args:
            delta: At which an epsilon is meant, exact, in (0, 1).

        Returns:
            Any number; with none the certified lower end is zero.
        """
        ...

    def scores(self, neighbour: Neighbour, trials: int, rng: np.random.Generator) -> FloatArray:
        """Run the algorithm and score what is released, the likelier under neighbour 1 the larger.

        Called from several threads at once: an implementation keeps no state between calls, draws from ``rng`` alone
        and does not touch ball arithmetic (its working precision is shared by all threads).

        Args:
            neighbour: Which data set of the pair is run on.
            trials: Number of independent runs.
            rng: The only source of randomness.

        Returns:
            One score a run, shape (trials,); infinite ones and NaN are outcomes like any other.
        """
        ...

    def facts(self) -> Mapping[str, str]:
        """What a reader of the report wants to know about the run: data, steps, noise, the pair."""
        ...
