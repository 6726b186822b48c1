"""The continuous theory in Coq: it compiles, rests on the axioms of the reals alone, and its statements are sharp.

Mechanisms on the real line and on vectors, the Gaussian integral and erfc, the normal and the Laplace mechanism:
``proofs/coq/theory``.  A planted bug is one changed definition or statement, after which the proofs must fail.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest

from proofs.coq.printed import assumptions
from tests.effort import part

THEORY: Final = Path(__file__).parents[1] / "proofs" / "coq" / "theory"
# In the order in which they need one another.
FILES: Final = (
    "Improper",
    "Density",
    "Erfc",
    "ErfcPoints",
    "Gaussian",
    "GaussianCurve",
    "Laplace",
    "Vectors",
    "GaussianVector",
    "GaussianAverage",
    "GaussianVectorCurve",
    "GaussianComposition",
    "Tails",
    "LogConcave",
    "GaussianStatements",
    "SampledDensity",
    "LaplaceVector",
)
RESULTS: Final = (
    "gaussian_integral",
    "erfc_le_exp",
    "erfc_mills_lower",
    "erfc_scaled_bound",
    "erfc_enclosed_opp",
    "event_refutes_DP",
    "hockey_decides",
    "zcdp_bounds_delta",
    "normal_density",
    "normal_renyi",
    "gaussian_zCDP",
    "gaussian_zCDP_least",
    "gaussian_DP_iff",
    "gaussian_DP_refuted",
    "laplace_DP",
    "laplace_close_iff",
    "laplace_epsilon_least",
    "adaptive_renyi",
    "vector_zcdp_bounds_delta",
    "vector_gaussian_zCDP_least",
    "vector_gaussian_DP_iff",
    "vector_gaussian_DP_refuted",
    "adaptive_answers_gaussian",
    "adaptive_gaussian_DP",
    "laplace_tail",
    "normal_tail_bound",
    "neyman_pearson",
    "normal_most_powerful",
    "gaussian_curve_tradeoff",
    "iterated_shift",
    "log_concave_half_lines",
    "renyi_of_unit_noise_in_coordinates",
    "curve_of_unit_noise_in_coordinates",
    "curve_of_two_answers",
    "vector_sampled_first",
    "vector_sampled_second",
    "sampled_vector_gaussian_close_iff",
    "vector_laplace_DP",
)
# Dedekind's reals, excluded middle, functional extensionality.
AXIOMS: Final = {
    "ClassicalDedekindReals.sig_not_dec",
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "Classical_Prop.classic",
}
# A file, what stands there, and what the proofs must refuse.
PLANTED: Final = (
    ("Erfc", "RInt (companion x) 0 1 = PI / 4", "RInt (companion x) 0 1 = PI / 2"),
    ("Erfc", "y * exp (y * y) * erfc y <= 1 / sqrt PI", "y * exp (y * y) * erfc y <= 1 / PI"),
    ("ErfcPoints", "IZR k / (IZR k - 2 * y)", "IZR k / (IZR k - y)"),
    ("Gaussian", "/ (s * sqrt (2 * PI))", "/ (s * sqrt PI)"),
    ("Gaussian", "exp ((a - 1) * (a * (mu - nu) ^ 2", "exp ((a - 1) * ((mu - nu) ^ 2"),
    ("Gaussian", "Delta ^ 2 / (2 * (s * s)) <= rho", "Delta ^ 2 / (s * s) <= rho"),
    ("GaussianCurve", "normal_cdf (- mu / 2 - eps / mu).", "normal_cdf (- mu / 2 + eps / mu)."),
    ("GaussianCurve", "del < gaussian_delta eps (Rabs (mu - nu)", "del <= gaussian_delta eps (Rabs (mu - nu)"),
    ("Laplace", "1 - exp ((eps - shift) / 2)", "1 - exp (eps - shift)"),
    ("Laplace", "(laplace_mechanism f (Delta / eps))", "(laplace_mechanism f (Delta / (2 * eps)))"),
    ("Vectors", "m <= exp ((a - 1) * (r1 + r2))", "m <= exp ((a - 1) * r1)"),
    ("GaussianVector", "(a - b) ^ 2 + squared_distance u v", "(a - b) ^ 2"),
    ("GaussianComposition", "gaussian_profile eps (sqrt (INR k) * mu) <= del", "gaussian_profile eps mu <= del"),
    ("Tails", "Q <= Q' -> P <= P'.", "Q' <= Q -> P <= P'."),
    ("LogConcave", "t * h x + (1 - t) * h y <= h", "h (t * x + (1 - t) * y) <= h"),
    ("SampledDensity", "exp eps' = 1 + g * (exp eps - 1)", "exp eps' = 1 + g * exp eps"),
    ("LaplaceVector", "Rabs (a - b) + l1_distance u v", "Rmax (Rabs (a - b)) (l1_distance u v)"),
    ("GaussianVectorCurve", "eps (Delta / s) <= del -> vector_DP", "eps (Delta / (2 * s)) <= del -> vector_DP"),
)  # fmt: skip

needs_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason="coq is not installed")


def _coqc(folder: Path, name: str) -> subprocess.CompletedProcess[str]:
    command = ["coqc", "-q", "-w", "-ambiguous-paths", "-Q", ".", "Dpref", f"{name}.v"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the theory, compiled."""
    folder = tmp_path_factory.mktemp("theory")
    for name in FILES:
        shutil.copy(THEORY / f"{name}.v", folder)
        done = _coqc(folder, name)
        assert done.returncode == 0, f"{name}: {done.stderr}"
    return folder


@needs_coq
@pytest.mark.slow
def test_the_theory_rests_on_the_axioms_of_the_reals_alone(compiled: Path) -> None:
    imports = f"From Dpref Require Import {' '.join(FILES)}."
    results = f"Definition results := ({', '.join('@' + name for name in RESULTS)})."
    (compiled / "Results.v").write_text(f"{imports}\n{results}\nPrint Assumptions results.\n")
    done = _coqc(compiled, "Results")
    assert done.returncode == 0, done.stderr
    assert set(assumptions(done.stdout)) == AXIOMS


@needs_coq
@pytest.mark.slow
def test_planted_bug_an_axiom_of_the_theory_is_seen(tmp_path: Path) -> None:
    (tmp_path / "Improper.v").write_text("Axiom wish : 1 = 2.\nTheorem shown : 1 = 2.\nProof. exact wish. Qed.\n")
    assert _coqc(tmp_path, "Improper").returncode == 0
    (tmp_path / "Results.v").write_text("From Dpref Require Import Improper.\nPrint Assumptions shown.\n")
    assert set(assumptions(_coqc(tmp_path, "Results").stdout)) == {"wish"}


@needs_coq
@pytest.mark.slow
def test_an_exact_delta_is_a_number_to_nine_digits(compiled: Path) -> None:
    goal = "6829594 / 10 ^ 9 < gaussian_delta 1 (1 / 2) < 6829596 / 10 ^ 9"  # 0.006829595, gaussian_delta's doctest
    tail = "21519736 / 10 ^ 24 < erfc 6 < 21519737 / 10 ^ 24"
    numbers = "unfold gaussian_delta, normal_cdf; erfc_numbers"
    (compiled / "Number.v").write_text(
        "From Coq Require Import Reals.\nFrom Interval Require Import Tactic.\n"
        "From Dpref Require Import Erfc ErfcPoints Gaussian GaussianCurve.\nOpen Scope R_scope.\n"
        f"Goal {goal}. Proof. {numbers} 20%nat 60%positive. Qed.\n"
        f"Goal {tail}. Proof. {numbers} 120%nat 140%positive. Qed.\n"
    )
    done = _coqc(compiled, "Number")
    assert done.returncode == 0, done.stderr


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(("name", "old", "new"), part(PLANTED, 6))
def test_planted_bug_is_refused(name: str, old: str, new: str, compiled: Path, tmp_path: Path) -> None:
    source = (THEORY / f"{name}.v").read_text()
    assert old in source
    for other in FILES[: FILES.index(name)]:
        shutil.copy(compiled / f"{other}.vo", tmp_path)
    (tmp_path / f"{name}.v").write_text(source.replace(old, new, 1))
    assert _coqc(tmp_path, name).returncode != 0


@pytest.mark.parametrize("name", FILES)
def test_nothing_is_admitted_and_files_stay_short(name: str) -> None:
    text = (THEORY / f"{name}.v").read_text()
    assert text.startswith("(* ")
    assert text.count("\n") < 400
    assert max(map(len, text.splitlines())) <= 120
    source = re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)
    assert not re.search(r"\b(Admitted|Axioms?|Parameters?|Conjecture|admit|Unset Guard Checking)\b", source)
