"""Hypothesis profiles: ``dev`` (default) is quick, ``ci`` is the same on every machine, ``nightly`` searches.

Chosen by the environment variable ``DPREF_HYPOTHESIS_PROFILE``, else by ``CI`` (any value selects ``ci``).
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Numba compiles on the first example and balls are slow on a loaded machine: neither is a defect of a property.
settings.register_profile("dev", deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "ci",
    deadline=None,
    max_examples=25,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("nightly", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("DPREF_HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))
