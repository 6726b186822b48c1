"""A paper's algorithm on your own data: public bounds in, a plan before the run, a certified epsilon after it.

`planned` says what a run would do and spend, `fit` does it.  What data must be scaled to is made of public `Bounds`
alone, record by record; the number that is reported is certified from the ledger under the adjacency that was asked
for, and a plan that is not certified to keep to the budget does not run.
"""

from dpref.fitting.bounds import Bounds as Bounds
from dpref.fitting.bounds import Classes as Classes
from dpref.fitting.bounds import Range as Range
from dpref.fitting.fitted import Fitted as Fitted
from dpref.fitting.fitted import Prepared as Prepared
from dpref.fitting.preview import Preview as Preview
from dpref.fitting.problems import runnable_algorithms as runnable_algorithms
from dpref.fitting.run import fit as fit
from dpref.fitting.run import planned as planned
from dpref.fitting.run import prepare as prepare
from dpref.fitting.tables import Table as Table
from dpref.fitting.tables import read_table as read_table
