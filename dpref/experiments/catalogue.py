"""Every experiment that can be reproduced."""

from __future__ import annotations

from typing import Final

from dpref.errors import InvalidArgumentError
from dpref.experiments.dp_erm_revisited.appendix_a import APPENDIX_A
from dpref.experiments.dp_erm_revisited.bundled import BUNDLED
from dpref.experiments.dynamic_privacy_budget.figure_1 import FIGURE_1
from dpref.experiments.dynamic_privacy_budget.table_1 import TABLE_1
from dpref.experiments.dynamic_privacy_budget.table_2 import TABLE_2
from dpref.experiments.experiment import AnyExperiment
from dpref.experiments.private_online_frank_wolfe.figure_5_1 import FIGURE_5_1
from dpref.experiments.private_online_frank_wolfe.figure_5_2 import FIGURE_5_2
from dpref.experiments.private_online_frank_wolfe.figure_5_3 import FIGURE_5_3
from dpref.experiments.private_online_frank_wolfe.table_5_1 import TABLE_5_1

EXPERIMENTS: Final[tuple[AnyExperiment, ...]] = (
    APPENDIX_A, BUNDLED, FIGURE_1, TABLE_1, TABLE_2, TABLE_5_1, FIGURE_5_1, FIGURE_5_2, FIGURE_5_3,
)  # fmt: skip


def experiment_named(name: str) -> AnyExperiment:
    """An experiment by its name.

    Args:
        name: ``paper/item``.

    Raises:
        InvalidArgumentError: If there is none of that name; the message has them all.

    >>> experiment_named("dynamic-privacy-budget/table-1").title
    'excess empirical risk of uniform and dynamic budgets'
    """
    for experiment in EXPERIMENTS:
        if experiment.name == name:
            return experiment
    raise InvalidArgumentError("experiment", name, "must be one of " + ", ".join(e.name for e in EXPERIMENTS))
