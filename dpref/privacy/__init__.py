"""What a run spends: events, accountants by kind, and what asks them.

From the bottom up: ``events`` < ``closed_forms`` < ``pld`` < ``renyi`` < ``fast`` < ``accountants``
and calibration.  ``interval``, ``searches`` and ``time_limit`` lie below all of them.
"""
