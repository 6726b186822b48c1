"""Machine-checked obligations about the library's own formulas.

* `proofs.kernel`, `proofs.terms`, `proofs.algebra`, `proofs.balls`, `proofs.induction`: the trusted part; a `Fact` can
  only be made by a rule that re-checks it.
* `proofs.search`: finds certificates; untrusted.
* `proofs.sums`: goals whose shape recurs, with the tactic that proves them; untrusted.
* `proofs.registry`: obligations; `proofs.status`: what is said of each; `proofs.check`: the drift check (``run``).
* `proofs.coq`: statements in Coq; `proofs.coq.privacy`: the theorems about privacy itself that obligations name.
* ``proofs.<topic>`` and ``proofs.<paper>``: the obligations, in the order of the topic or the paper.
* ``proofs/certificates``: committed JSON, replayed without searching; ``python -m proofs --write`` makes it anew.
"""

import proofs.balls
import proofs.induction  # noqa: F401 - with these two, replay knows every rule
from proofs.check import Report, run
from proofs.registry import Obligation, registry
from proofs.status import Row

__all__ = ["Obligation", "Report", "Row", "registry", "run"]
