r"""DP-SVRG++: DP-SVRG for objectives that are not strongly convex (Wang, Ye, Xu 2017, Algorithm 2).

The update is that of `dpref.algorithms.svrg`, with $m_s=2^sm$ inner steps in epoch s, and with an inner loop that
goes on from the last iterate, $x_0^{s+1}=x_{m_s}^s$, while the snapshot is the epoch's average.

Privacy: Theorem 4.3 with $\sigma^2$ of Eq. (6); utility: Theorem 4.4.

Source: D. Wang, M. Ye, J. Xu, "Differentially private empirical risk minimization revisited", 2017.
Adjacency: replace-one in the paper; replace-one or zero-out here.  Cost: $Tn+2(2^{T+1}-2)mb$ gradients.
Obligations: ``dp-erm-revisited/P71`` to ``P73``, ``P76``.

What differs from the print, and why: as for DP-SVRG.  Eq. (6) counts $2^Tm$ of the $(2^{T+1}-2)m$ answers, so that the
proved constant is c = 6160; its logarithm is $\ln\frac2\delta$.  $m=\Theta(L)$ of Theorem 4.4 is a count that is said
to be proportional to a curvature (E18): here m is simply given.
"""

from __future__ import annotations

from dpref.algorithms.svrg.algorithm import run

__all__ = ["run"]
