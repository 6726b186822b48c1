"""Exact samplers as known answers: a text of bits in, integers out."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from dpref.mechanisms.bits import BitSource, RecordedBits, bernoulli_exp
from dpref.mechanisms.discrete_gaussian import discrete_gaussian
from dpref.mechanisms.discrete_laplace import discrete_laplace
from dpref.vectors.family import PASSES, Family, Judged, Question, Result, paragraphs
from dpref.vectors.fields import NUMBER

_DRAWS: Final = 8

HEADER: Final = paragraphs("""
Each test gives a sampler, its exact parameter, and bits; outputs are what so many draws give, one after another, and
bitsConsumed is how many of the bits they take.

A uniform integer below n takes ceil(log2 n) bits, the first the highest, again until it is below n. A coin of
probability a/b, in lowest terms, is: a uniform integer below b is below a.

bernoulli-exp: a coin of probability exp(-g). For g at most 1, K is the first k = 1, 2, ... whose coin of probability
g/k fails, and the coin shows 1 if K is odd. For larger g floor(g) coins of exp(-1) must succeed, the first failure
ends it with 0, and then one of exp(floor(g) - g).

discrete-laplace, scale t/s in lowest terms: U below t, kept with a coin of exp(-U/t), else again from the start; V
counts coins of exp(-1) until one fails; M = floor((U + t V) / s); a coin of 1/2 makes it negative, and -0 starts
again.

discrete-gaussian, variance v: t = floor(sqrt(v)) + 1; Y discrete Laplace of scale t, kept with a coin of exp(-(|Y| -
v/t)^2 / (2 v)), else again from the start.
""")

_SAMPLERS: Final[Mapping[str, tuple[str, str, Callable[[Fraction, BitSource], int | bool]]]] = MappingProxyType(
    {
        "bernoulli-exp": ("gamma", "ExactCoin", bernoulli_exp),
        "discrete-laplace": ("scale", "ExactLaplace", discrete_laplace),
        "discrete-gaussian": ("variance", "ExactGaussian", discrete_gaussian),
    }
)
_ASKED: Final = (
    ("bernoulli-exp", ("0", "1/3", "1/2", "1", "3/2", "5", "1/1000", "22/7")),
    ("discrete-laplace", ("1", "1/2", "2", "5/3", "10", "7/100", "1000", "1048576")),
    ("discrete-gaussian", ("1", "1/3", "2", "4", "10", "100", "961/4", "1000000", "1099511627776", "1/100")),
)


def recorded_bits(seed: str, count: int) -> str:
    """So many bits that a text determines: SHA-256 of the text, a colon and 0, 1, 2, ..., block by block.

    Args:
        seed: The text.
        count: A multiple of eight.

    >>> recorded_bits("", 8) == f"{hashlib.sha256(b':0').digest()[0]:08b}"
    True
    """
    blocks = (hashlib.sha256(f"{seed}:{k}".encode()).digest() for k in range(count // 256 + 1))
    return "".join(f"{byte:08b}" for block in blocks for byte in block)[:count]


def questions() -> Iterator[Question]:
    """Every question about samplers: three strings of bits for each parameter."""
    for sampler, parameters in _ASKED:
        name, flag, draw = _SAMPLERS[sampler]
        for parameter in parameters:
            for k in range(1 if parameter == "0" else 3):  # a coin that always shows 1 takes no bit
                source = RecordedBits(recorded_bits(f"{sampler} {parameter} {k}", 1 << 15))
                for _ in range(_DRAWS):
                    draw(Fraction(parameter), source)
                bits = recorded_bits(f"{sampler} {parameter} {k}", -(-source.used // 8) * 8)
                given = {"sampler": sampler, "parameters": {name: parameter}, "bits": bits, "draws": _DRAWS}
                yield Question(topic=sampler, comment=f"{name} = {parameter}", flags=(flag,), given=given)


def answer(given: Mapping[str, Any], result: Result) -> dict[str, Any]:
    """The integers that the bits give, and how many of the bits they take."""
    name, _, draw = _SAMPLERS[given["sampler"]]
    source, parameter = RecordedBits(given["bits"]), Fraction(given["parameters"][name])
    outputs = [int(draw(parameter, source)) for _ in range(given["draws"])]
    return {"outputs": outputs, "bitsConsumed": source.used}


def judge(test: Mapping[str, Any], answered: Any) -> Judged:
    """What is said of drawn integers.

    Args:
        test: Of a file.
        answered: The integers.
    """
    drawn = [int(x) for x in answered] if isinstance(answered, Sequence) else answered
    return PASSES if drawn == test["outputs"] else Judged("fails", f"{drawn} is drawn, not {test['outputs']}")


_INTEGERS: Final = {"type": "array", "items": {"type": "integer"}}

FAMILY: Final = Family(
    name="sampler",
    kind="SamplerTest",
    header=HEADER,
    questions=questions,
    answer=answer,
    judge=judge,
    given={
        "sampler": {"enum": list(_SAMPLERS)},
        "parameters": {"type": "object", "additionalProperties": NUMBER},
        "bits": {"type": "string", "pattern": "^[01]*$"},
        "draws": {"type": "integer", "minimum": 1},
    },
    required=("sampler", "parameters", "bits", "draws"),
    answers={"outputs": _INTEGERS, "bitsConsumed": {"type": "integer", "minimum": 0}},
)
