"""The numbers that other accountants test themselves with, as (file, line of its table or test, question, answer).

dp_accounting is github.com/google/differential-privacy at b5b0286e, python/dp_accounting/dp_accounting; prv_accountant
is github.com/microsoft/prv_accountant at a844f720, tests.  What is left out: numbers of a library's own grid (masses
that it has rounded up, truncated noise), of events that no ledger here has, and bounds that hold of anything.
"""

from __future__ import annotations

from typing import Final, NamedTuple

MECHANISMS: Final = "pld/privacy_loss_mechanism_test.py"
DISTRIBUTIONS: Final = "pld/privacy_loss_distribution_test.py"
LEDGERS: Final = "pld/pld_privacy_accountant_test.py"
LEAST_NOISE: Final = "pld/accountant_test.py"
RENYI: Final = "rdp/rdp_privacy_accountant_test.py"
PRV: Final = "prv_accountant test_accountant.py"

# PRV: Gaussian answers, whose delta its tests take from the closed form: events, the square of mu, points.
CLOSED_FORMS: Final = [
    ("compose(gaussian(100), 9999)", "9999/10000", ("0.1", "1", "10", "100")),
    ("compose(gaussian(100), 10000)", "1", ("0.1", "1", "10", "100")),
    ("compose(compose(gaussian(10), 50), compose(gaussian(5), 50))", "5/2", ("4",)),
]


class Delta(NamedTuple):
    """delta of one direction of an event at an epsilon."""

    event: str
    adjacency: str
    added: bool
    epsilon: str
    delta: float


def _both(event: str, adjacency: str, points: str, deltas: list[float]) -> list[Delta]:
    found = zip(points.split(), deltas, strict=True)
    return [Delta(event, adjacency, added, x, d) for x, d in found for added in (False, True)]


def _one(event: str, added: bool, points: str, deltas: list[float]) -> list[Delta]:
    return [Delta(event, "zero-out", added, x, d) for x, d in zip(points.split(), deltas, strict=True)]


_UNIT = "-0.3 -0.2 -0.1 0 0.1 0.2 0.3"

DELTAS: Final = [
    # test_laplace_get_delta_for_epsilon, and its vectorized form; the scale is theirs over the sensitivity.
    *_both("laplace(1)", "zero-out", "-2 -1 0 1", [0.86466472, 0.63212056, 0.39346934, 0.0]),
    *_both("laplace(1/2)", "zero-out", "-0.5 0 0.5 1 2", [0.7134952031, 0.6321205588, 0.5276334473, 0.3934693403, 0.0]),
    *_one("poisson(laplace(1), rate=0.8)", True, "1", [0.0]),
    *_one("poisson(laplace(1/2), rate=0.8)", True, "0.5", [0.3243606497234246]),
    *_one("poisson(laplace(1), rate=0.6)", True, "0.2", [0.1401134521354217]),
    *_both("poisson(laplace(1), rate=0.3)", "zero-out", "0", [0.1180408020862099]),
    *_one("poisson(laplace(1), rate=0.2)", True, "2", [0.0]),
    *_one("poisson(laplace(1), rate=0.8)", False, "1", [0.0]),
    *_one("poisson(laplace(1/2), rate=0.8)", False, "0.5", [0.4039564635032081]),
    *_one("poisson(laplace(1), rate=0.6)", False, "0.2", [0.1741992102060086]),
    *_one("poisson(laplace(1), rate=0.2)", False, "-0.25", [0.2211992169285951]),
    *_one(
        "poisson(laplace(1), rate=0.2)", True, _UNIT,
        [0.2591817793, 0.2008511573, 0.1405456165, 0.07869386806, 0.01879989609, 0.0, 0.0],
    ),
    *_one(
        "poisson(laplace(1), rate=0.2)", False, _UNIT,
        [0.2591817793, 0.1812692469, 0.1121734314, 0.07869386806, 0.05015600993, 0.02391739939, 0.0],
    ),
    # test_gaussian_get_delta_for_epsilon, likewise.
    *_both("gaussian(1)", "zero-out", "-2 -1 0 1 2", [0.86749642, 0.67881797, 0.38292492, 0.12693674, 0.020923636]),
    *_both("gaussian(1/3)", "zero-out", "1", [0.78760074]),
    *_one("poisson(gaussian(1), rate=0.8)", True, "1", [0.0231362104090899]),
    *_one("poisson(gaussian(1/3), rate=0.7)", True, "1", [0.1195051215523554]),
    *_one("poisson(gaussian(1/3), rate=0.4)", True, "1", [0.0]),
    *_one("poisson(gaussian(1), rate=0.3)", True, "2", [0.0]),
    *_one("poisson(gaussian(1), rate=0.8)", False, "1", [0.0816951786585355]),
    *_one("poisson(gaussian(1/3), rate=0.7)", False, "1", [0.5356298793262404]),
    *_one("poisson(gaussian(1/3), rate=0.4)", False, "1", [0.2888308005139968]),
    *_one("poisson(gaussian(1), rate=0.3)", False, "2", [0.0003341102928869332]),
    *_one("poisson(gaussian(1), rate=0.2)", False, "-0.25", [0.2211992169285951]),
    *_one(
        "poisson(gaussian(1), rate=0.2)", True, _UNIT,
        [0.27768558, 0.21052945, 0.14204776, 0.076584985, 0.02337934, 0.00020196, 0.0],
    ),
    *_one(
        "poisson(gaussian(1), rate=0.2)", False, "-0.3 -0.2 -0.1 0 0.1 0.2 0.5 1",
        [0.25918178, 0.1814346, 0.11631708, 0.076584985, 0.051816131, 0.035738492, 0.012494629, 0.00229682],
    ),
    # Their REPLACE: sigma is over the radius, half of the sensitivity.
    *_both("poisson(gaussian(1), rate=0.8, contribution=ball)", "replace-one", "1", [0.05808665654484252]),
    *_both("poisson(gaussian(3/4), rate=0.8, contribution=ball)", "replace-one", "1", [0.13711260900644096]),
    *_both("poisson(gaussian(1/3), rate=0.7, contribution=ball)", "replace-one", "1", [0.4013057526509164]),
    *_both("poisson(gaussian(1/4), rate=0.4, contribution=ball)", "replace-one", "1", [0.20752885274183325]),
    *_both("poisson(gaussian(1), rate=0.3, contribution=ball)", "replace-one", "2", [2.4770380148941894e-09]),
    *_both("poisson(gaussian(1), rate=0.2, contribution=ball)", "replace-one", "-0.25", [0.22989794629827498]),
    *_both(
        "gaussian(1/2)", "replace-one", "-2 -1 0 1 2",
        [0.90958223, 0.81968818, 0.68268949, 0.50986166, 0.331897999],
    ),
    *_both(
        "poisson(gaussian(1/2), rate=0.2, contribution=ball)", "replace-one", "-0.3 -0.2 -0.1 0 0.1 0.2 0.5 1",
        [0.29584154, 0.23846474, 0.18414510, 0.13653790, 0.098340892, 0.069858734, 0.0250311655, 0.004734828],
    ),
    # test_discrete_laplace_get_delta_for_epsilon, likewise; their parameter is one over the scale.
    *_both("discrete_laplace(1, 1)", "zero-out", "1", [0.0]),
    *_both("discrete_laplace(1000000/333333, 3)", "zero-out", "1", [0.0]),
    *_both(
        "discrete_laplace(2, 4)", "zero-out", "-2 -1 -0.5 0 0.5 1 2",
        [0.86466472, 0.77686984, 0.72222110, 0.63212056, 0.54202002, 0.39346934, 0.0],
    ),
    *_both("poisson(discrete_laplace(1, 1), rate=0.8)", "zero-out", "1", [0.0]),
    *_both("poisson(discrete_laplace(1000000/333333, 3), rate=0.8)", "zero-out", "1", [0.0]),
    *_one("poisson(discrete_laplace(2, 4), rate=0.7)", True, "0.5", [0.2293628348747755]),
    *_one("poisson(discrete_laplace(2, 4), rate=0.6)", True, "0.6", [0.07668344250639381]),
    *_one("poisson(discrete_laplace(2, 4), rate=0.3)", True, "0.5", [0.0]),
    *_one("poisson(discrete_laplace(2, 4), rate=0.7)", False, "0.5", [0.3523838505224567]),
    *_one("poisson(discrete_laplace(2, 4), rate=0.6)", False, "1", [0.178181891763215]),
    *_one("poisson(discrete_laplace(2, 4), rate=0.3)", False, "0.5", [0.1068168460276349]),
    *_one("poisson(discrete_laplace(1, 1), rate=0.2)", False, "-0.25", [0.2211992169285951]),
    *_one(
        "poisson(discrete_laplace(2, 4), rate=0.2)", True, _UNIT,
        [0.31709255, 0.25960017, 0.19633877, 0.12642411, 0.058632421, 0.0, 0.0],
    ),
    *_one(
        "poisson(discrete_laplace(2, 4), rate=0.2)", False, _UNIT,
        [0.25918178, 0.18126925, 0.14821539, 0.12642411, 0.11181698, 0.095673604, 0.07817137],
    ),
]  # fmt: skip


class Dots(NamedTuple):
    """Masses on a grid that has the curve of an event at each of its points ("connect the dots").

    Attributes:
        event: Under zero-out.
        added: Which direction; None for both.
        step: Of the grid.
        masses: By the number of the point.
    """

    event: str
    added: bool | None
    step: str
    masses: dict[int, float]


DOTS: Final = [
    Dots("laplace(1)", None, "1", {1: 0.62245933, 0: 0.14855068, -1: 0.22898999}),
    Dots("laplace(1/2)", None, "1", {2: 0.62245933, 1: 0.14855068, 0: 0.09010054, -1: 0.05464874, -2: 0.08424071}),
    Dots("poisson(laplace(1), rate=0.8)", None, "1", {1: 0.49796746, 0: 0.31884054, -1: 0.18319199}),
    Dots("poisson(laplace(1), rate=0.5)", None, "1", {1: 0.31122967, 0: 0.57427534, -1: 0.11449500}),
    Dots("poisson(laplace(1/2), rate=0.7)", True, "1", {1: 0.7, 0: 0.17131139, -1: 0.08129580, -2: 0.04739281}),
    Dots("poisson(laplace(1/2), rate=0.7)", False, "1", {2: 0.35018810, 1: 0.22098490, 0: 0.17131139, -1: 0.25751561}),
    Dots("poisson(laplace(1/2), rate=0.3)", True, "1", {1: 0.3, 0: 0.59763391, -1: 0.09942388, -2: 0.00294221}),
    Dots("poisson(laplace(1/2), rate=0.3)", False, "1", {2: 0.02174013, 1: 0.27026212, 0: 0.59763391, -1: 0.11036383}),
    Dots("laplace(1)", None, "0.5", {2: 0.56217650, 1: 0.09684622, 0: 0.07542391, -1: 0.05874020, -2: 0.20681318}),
    Dots("discrete_laplace(1, 1)", None, "1", {1: 0.731058579, -1: 0.268941421}),
    Dots("discrete_laplace(1, 2)", None, "1", {2: 0.731058579, 0: 0.170003402, -2: 0.098938020}),
    Dots(
        "discrete_laplace(5/4, 2)", None, "1",
        {2: 0.492482728, 1: 0.197491753, 0: 0.170722074, -1: 0.072653156, -2: 0.066650289},
    ),
    Dots("poisson(discrete_laplace(1, 1), rate=0.8)", None, "1", {1: 0.584846863, 0: 0.2, -1: 0.215153137}),
    Dots(
        "poisson(discrete_laplace(1, 2), rate=0.5)", True, "1",
        {1: 0.5, 0: 0.40106198, -1: 0.067667642, -2: 0.031270378},
    ),
    Dots(
        "poisson(discrete_laplace(1, 2), rate=0.5)", False, "1",
        {2: 0.231058579, 1: 0.183939721, 0: 0.40106198, -1: 0.183939721},
    ),
    Dots("poisson(discrete_laplace(5/4, 2), rate=0.3)", None, "1", {1: 0.261344626, 0: 0.64251206, -1: 0.096143315}),
    Dots(
        "poisson(discrete_laplace(5/4, 3), rate=0.2)", True, "1",
        {1: 0.228245419, 0: 0.698218984, -1: 0.069698173, -2: 0.003837424},
    ),
    Dots(
        "poisson(discrete_laplace(5/4, 3), rate=0.2)", False, "1",
        {2: 0.028354943, 1: 0.189459276, 0: 0.698218984, -1: 0.083966797},
    ),
]  # fmt: skip


class Answer(NamedTuple):
    """What a ledger spends: epsilon at a delta, or delta at an epsilon, to within what its test allows."""

    event: str
    adjacency: str
    epsilon: float
    delta: float
    within: float


_ROOT = "1.7320508075688772935"

SPENT: Final = [
    # LEDGERS: test_gaussian_basic, test_poisson_subsampled_gaussian, test_laplace_basic, ...
    Answer(f"compose(gaussian({_ROOT}), 3)", "add-or-remove-one", 1, 0.126936, 1e-6),
    Answer("compose(poisson(gaussian(0.5), rate=0.2), 3)", "add-or-remove-one", 1, 0.15594, 5e-6),
    Answer("compose(compose(laplace(1), 3), compose(laplace(2), 2))", "add-or-remove-one", 4, 1e-14, 1e-6),
    Answer("compose(compose(discrete_laplace(1), 3), compose(discrete_laplace(2), 2))", "zero-out", 4, 0, 1e-6),
    Answer("compose(exponential(1), exponential(2))", "add-or-remove-one", 3, 0, 1e-7),
    # test_randomized_response, p = 4 / (3 + e) of 4 answers: one is e times as likely as another.
    Answer("randomized_response(1, 4)", "replace-one", 1, 0, 1e-7),
]


class Epsilon(NamedTuple):
    """Epsilon of a ledger at a delta, to within what its test allows."""

    event: str
    delta: str
    epsilon: float
    within: float


# LEDGERS: test_poisson_subsampled_laplace, test_laplace_basic, test_gaussian_basic, test_poisson_subsampled_gaussian.
EPSILONS: Final = [
    Epsilon("compose(poisson(laplace(0.5), rate=0.2), 3)", "1e-14", 2.46964, 1e-3),
    Epsilon("compose(compose(laplace(1), 3), compose(laplace(2), 2))", "1e-14", 4, 1e-6),
    Epsilon(f"compose(gaussian({_ROOT}), 3)", "0.126936", 1, 1e-5),
    Epsilon("compose(poisson(gaussian(0.5), rate=0.2), 3)", "0.15594", 1, 1e-3),
]


class LeastNoise(NamedTuple):
    """The parameter at which a ledger meets a budget, to within what its test allows, and the rule that it breaks."""

    event: str
    parameter: float
    within: float
    epsilon: str
    delta: str


NOISE: Final = [
    LeastNoise("gaussian({})", 1 / 3, 1e-7, "1", "0.78760074"),
    LeastNoise("poisson(gaussian({}), rate=0.01)", 0.67379294682, 5e-8, "1", "1e-5"),
    LeastNoise("compose(poisson(gaussian({}/6), rate=0.001), 25)", 3.20956502598, 5e-8, "1", "1e-5"),
    LeastNoise("compose(laplace({}), 20)", 13.6, 0.1, "1", "0.0001"),
    LeastNoise("compose(laplace({}/0.5), 20)", 6.8, 0.1, "1", "0.0001"),
    LeastNoise("compose(laplace({}), 500)", 71.0, 0.1, "1", "0.0001"),
    LeastNoise("compose(discrete_laplace(1/{}), 20)", 0.073, 1e-3, "1", "0.0001"),
    LeastNoise("compose(discrete_laplace(1/{}, 5), 20)", 0.014, 1e-3, "1", "0.0001"),
]


class Divergence(NamedTuple):
    """A Rényi divergence, to a relative error."""

    event: str
    adjacency: str
    order: str
    value: float
    within: float = 1e-4


_ORDERS: Final = ("3/2", "5/2", "5", "50", "100")
_TIMES: Final = "compose(poisson(gaussian(2.5), rate=0.01), 50)"


def _responses(odds: str, categories: int, null: str, values: list[float]) -> list[Divergence]:
    """ln of the odds is given as text; orders 3/2, 5/2, 5, 50, 100."""
    adjacency, said = ("zero-out", ", uniform") if null else ("replace-one", "")
    event = f"randomized_response({odds}, {categories}{said})"
    return [Divergence(event, adjacency, order, v) for order, v in zip(_ORDERS, values, strict=True)]


_LN_73_3, _LN_381, _LN_298 = "3.1918471524802813963", "5.9427993751267013165", "5.6970934865054041849"

DIVERGENCES: Final = [
    # RENYI: test_compute_rdp_poisson_sampled_gaussian; the first of its values is 3 percent too large.
    Divergence(_TIMES, "add-or-remove-one", "3/2", 6.70579741e-04),
    Divergence(_TIMES, "add-or-remove-one", "5/2", 1.08548710e-03),
    Divergence(_TIMES, "add-or-remove-one", "5", 2.18075656e-03),
    Divergence(_TIMES, "add-or-remove-one", "50", 2.38460375e-02),
    Divergence(_TIMES, "add-or-remove-one", "100", 1.67416308e02),
    # test_compute_rdp_exponential_mechanism, at 1 and 1000.
    Divergence("exponential(1)", "replace-one", "1000001/1000000", 0.123301561, 1e-5),
    Divergence("exponential(1)", "replace-one", "1000", 1.0, 1e-3),
    # test_compute_rdp_randomized_response_replace_special and _replace_one: p of (p, answers) is 0.3 of 10, ...
    *_responses(_LN_73_3, 10, "uniform", [1.5030552584, 1.7801182478, 1.9091969256, 1.9814516798, 1.9846954517]),
    *_responses(_LN_381, 20, "uniform", [2.8985312222, 2.9615414620, 2.9829089499, 2.9946854716, 2.9952141594]),
    *_responses(_LN_298, 3, "uniform", [3.8513453435, 4.3349249076, 4.5038038469, 4.5968953878, 4.6010745788]),
    *_responses(_LN_73_3, 10, "", [2.6946320226, 2.9838653640, 3.1131697007, 3.1854244842, 3.1886682560]),
    *_responses(_LN_381, 20, "", [5.8503177033, 5.9103601623, 5.9306330821, 5.9418062083, 5.9423078077]),
    *_responses(_LN_298, 3, "", [5.6841267709, 5.6926345960, 5.6954212394, 5.6969569765, 5.6970259209]),
]

# DISTRIBUTIONS, test_gaussian_tpr_at_extreme_fpr: one less the trade-off curve of mu = 1, to a thousandth of it.
TRUE_POSITIVES: Final = {
    "1e-3": 0.01830, "1e-4": 0.003274, "1e-5": 0.0005475, "1e-6": 8.7218e-5, "1e-7": 1.3385e-5, "1e-8": 1.99405e-6,
    "1e-9": 2.8993e-7, "1e-10": 4.1303e-8,
}  # fmt: skip

# LEAST_NOISE and RENYI, bounds that must hold: (event, adjacency, epsilon that is not reached, delta).
NOT_REACHED: Final = [
    ("compose(gaussian(1.13), 11)", "zero-out", 19.74, "1e-6"),  # test_compute_eps_tree: a tree of 1600 leaves
    ("compose(gaussian(8.83), 11)", "zero-out", 2.04, "1e-6"),
]
