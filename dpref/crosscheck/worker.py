"""Runs one other accountant: questions as JSON lines on standard input, answers on standard output.

This file is run as a script by the interpreter in which the accountant is installed.  It imports nothing of dpref and
runs on every Python from 3.8 on; the accountant is imported by name, so that a missing one is an answer, not an error.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from typing import Any, Callable, Dict, List, TextIO  # noqa: UP035  # Python 3.8

MARK = "dpref-answer "
MEMORY = 8 << 30

Claim = Dict[str, float]  # noqa: UP006  # Python 3.8


def _load(name: str) -> Any:
    return importlib.import_module(name)


def _events(q: float, sigma: float, steps: int) -> Any:
    event = _load("dp_accounting.dp_event")
    step = event.GaussianDpEvent(sigma)
    return event.SelfComposedDpEvent(step if q == 1 else event.PoissonSampledDpEvent(q, step), steps)


def _spent(accountant: Any, q: float, sigma: float, steps: int, delta: float) -> float:
    accountant.compose(_events(q, sigma, steps))
    return float(accountant.get_epsilon(delta))


def dp_accounting_pld(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """Connect-the-dots PLD, default grid (1e-4)."""
    return {"upper": _spent(_load("dp_accounting.pld").PLDAccountant(), q, sigma, steps, delta)}


def dp_accounting_self_compose(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """The same PLD composed by ``self_compose``, with no closed form for Gaussians."""
    pld = _load("dp_accounting.pld.privacy_loss_distribution")
    one = pld.from_gaussian_mechanism(standard_deviation=sigma, sampling_prob=q, value_discretization_interval=1e-4)
    return {"upper": one.self_compose(steps).get_epsilon_for_delta(delta)}


def dp_accounting_rdp(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """Renyi accountant, default orders."""
    return {"upper": _spent(_load("dp_accounting.rdp").RdpAccountant(), q, sigma, steps, delta)}


def prv_accountant(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """Privacy random variables with the default error of 0.1 in epsilon."""
    prv = _load("prv_accountant")
    if q == 1:
        step = prv.GaussianMechanism(sigma)
    else:
        step = prv.PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=q)
    accountant = prv.PRVAccountant(prvs=[step], max_self_compositions=[steps], eps_error=0.1, delta_error=delta / 1000)
    low, estimate, high = accountant.compute_epsilon(delta=delta, num_self_compositions=[steps])
    return {"lower": low, "estimate": estimate, "upper": high}


def _opacus(kind: str, q: float, sigma: float, steps: int, delta: float) -> float:
    accountant = _load("opacus.accountants").create_accountant(mechanism=kind)
    accountant.history = [(sigma, q, steps)]
    return float(accountant.get_epsilon(delta=delta))


def opacus_prv(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """The PRV accountant of opacus."""
    return {"upper": _opacus("prv", q, sigma, steps, delta)}


def opacus_rdp(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """The Renyi accountant of opacus."""
    return {"upper": _opacus("rdp", q, sigma, steps, delta)}


def opacus_gdp(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """The central limit approximation of opacus: an estimate, no bound."""
    return {"estimate": _opacus("gdp", q, sigma, steps, delta)}


def autodp_rdp(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """The Renyi accountant of autodp."""
    zoo = _load("autodp.mechanism_zoo")
    if q == 1:
        composed = _load("autodp.transformer_zoo").Composition()([zoo.GaussianMechanism(sigma=sigma)], [steps])
    else:
        composed = zoo.SubsampleGaussianMechanism({"prob": q, "sigma": sigma, "coeff": steps})
    return {"upper": composed.get_approxDP(delta)}


def riskcal(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """Connect-the-dots accountant of riskcal, default grid (1e-4)."""
    accountant = _load("riskcal.accountants.ctd").CTDAccountant()
    accountant.history = [(sigma, q, steps)]
    return {"upper": accountant.get_epsilon(delta=delta)}


def opake_pld(q: float, sigma: float, steps: int, delta: float) -> Claim:
    """Connect-the-dots PLD of opake, compiled, default grid (1e-4)."""
    core = _load("opake.api.accounting.core.opake_accounting")
    one = core.gaussian_pld(sigma, core.DiscretizationConfig())
    return {"upper": (one if q == 1 else core.poisson_pld(one, q)).self_compose(steps).epsilon_at(delta)}


def own(target: str, folder: str) -> Callable[..., Any]:
    """The user's accountant, ``package.module:function``; a plain number is an upper bound."""
    module, _, name = target.partition(":")
    sys.path.insert(0, folder)
    function = _load(module)
    for part in name.split("."):
        function = getattr(function, part)

    def ask(*question: Any) -> Claim:
        found = function(*question)
        return found if isinstance(found, dict) else {"upper": found}

    return ask


ACCOUNTANTS: Dict[str, Callable[[float, float, int, float], Claim]] = {  # noqa: UP006  # Python 3.8
    "dp_accounting_pld": dp_accounting_pld,
    "dp_accounting_self_compose": dp_accounting_self_compose,
    "dp_accounting_rdp": dp_accounting_rdp,
    "prv_accountant": prv_accountant,
    "opacus_prv": opacus_prv,
    "opacus_rdp": opacus_rdp,
    "opacus_gdp": opacus_gdp,
    "autodp_rdp": autodp_rdp,
    "riskcal": riskcal,
    "opake_pld": opake_pld,
}


def _version(package: str) -> str:
    try:
        return str(_load("importlib.metadata").version(package))
    except Exception:  # noqa: BLE001  # a version that cannot be read must not stop the comparison
        return "unknown"


def _answer(function: Callable[..., Claim], question: Dict[str, Any]) -> Dict[str, Any]:  # noqa: UP006
    seconds: List[float] = []  # noqa: UP006  # Python 3.8
    claim: Claim = {}
    try:
        for _ in range(int(question["repeat"])):
            begun = time.perf_counter()
            claim = function(*(question[name] for name in question["asks"]))
            seconds.append(time.perf_counter() - begun)
    except Exception as error:  # noqa: BLE001  # whatever a foreign accountant raises is its answer
        return {"id": question["id"], "problem": (type(error).__name__ + ": " + str(error))[:200]}
    try:
        return {"id": question["id"], "seconds": seconds, **{name: float(value) for name, value in claim.items()}}
    except Exception as error:  # noqa: BLE001  # what is no number is a problem of the accountant, not of this process
        return {"id": question["id"], "problem": (type(error).__name__ + ": " + str(error))[:200]}


def _limit_memory() -> None:
    try:
        resource = _load("resource")
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    except Exception:  # noqa: BLE001, S110  # not every system has the limit
        pass


def _main(accountant: str, module: str, package: str, folder: str, out: TextIO) -> None:
    def say(what: Dict[str, Any]) -> None:  # noqa: UP006  # Python 3.8
        out.write(MARK + json.dumps(what) + "\n")
        out.flush()

    _limit_memory()
    try:
        if accountant == "own":
            function = own(package, folder)
        else:
            _load(module)
            function = ACCOUNTANTS[accountant]
    except Exception as error:  # noqa: BLE001  # an accountant that cannot be imported is not installed
        say({"ready": False, "problem": (type(error).__name__ + ": " + str(error))[:200]})
        return
    say({"ready": True, "version": _version(module.partition(".")[0] if accountant == "own" else package)})
    for line in sys.stdin:
        say(_answer(function, json.loads(line)))


if __name__ == "__main__":
    # Modules beside this script must not shadow the accountant's; what it prints must not pass for an answer.
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != os.path.dirname(os.path.abspath(__file__))]  # noqa: PTH100, PTH120
    _answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    _main(sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4], _answers)
