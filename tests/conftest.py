"""Set-up that every test shares: one thread a numerical library, so that results and timings do not depend on cores."""

from __future__ import annotations

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
# SVML rounds exp, log and their kin otherwise: a kernel would no longer equal its interpreted twin bit for bit.
os.environ.setdefault("NUMBA_DISABLE_INTEL_SVML", "1")
