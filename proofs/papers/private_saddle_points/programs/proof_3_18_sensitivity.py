"""Proof 3.18: one record moves two scores of Algorithm 3 by almost 9 tau alpha L0 each, and so one drawn vertex."""

import math

import numpy as np

TAU, M, DELTA, OTHERS = 0.25, 10, 1e-6, 97  # alpha = 1 and L0 = 1; OTHERS records are the same in D and D'
NORMALISER = 2 - 2.0**-M  # C_M
e = np.eye(4)
drawn, minus, plus = e[1], (e[1] + e[2]) / 2, (3 * e[1] + e[2]) / 4  # the vertices e2, e3, e2, e2 were drawn before


def score(slope, offset):
    """Return the score after the first iteration, at level N = 1, whose batch has two records, and after the others."""
    gradients = [slope * np.clip((slope @ x - offset) / 0.05, -1, 1) for x in (plus, minus, drawn)]
    estimate = (2 * NORMALISER * (gradients[0] - gradients[1]) + gradients[2]) / 2
    others = OTHERS * np.array([1.0, -1.0, -1.0, 1.0]) - 4 * np.array([0.0, 0.0, 0.0, 2.0])
    return TAU * (others - estimate)


scores = score(np.array([1.0, 1, -1, -1]), 0.25), score(np.array([1.0, -1, 1, -1]), -0.25)
law, neighbour = (np.exp(s - s.max()) / np.exp(s - s.max()).sum() for s in scores)
p, q = law[3], neighbour[3]
print(f"P = {p:.5f}\nQ = {q:.5f}")
print(f"epsilon >= {math.log((p - DELTA) / q):.3f} at delta = {DELTA:g}; claimed {9 * TAU}")
