"""The papers' algorithms, one folder each.

What their functions are given has one name everywhere, and is said here once:

* ``problem``: the public side: loss, number of records, bounds, constraint set (`dpref.problems.protocol.Problem`);
* ``params``: what the user chooses, the folder's ``Params``;
* ``plan``: every number of the run, the folder's ``Plan``, as its function ``plan`` computed it;
* ``curator``: the private side, which holds the records, adds the noise and counts what is spent;
* ``state``: where the run stands after the steps so far, the folder's ``State``;
* ``records``: the private records as the number system reads them;
* ``o``: the number system of a formula (`dpref.reals.Ops`).
"""
