"""How many examples a property that is dear to check is given.

A profile sets the number for all others; what costs a tenth of a second an example is asked a quarter as often.
"""

from typing import Final

from hypothesis import settings

DEAR: Final = settings(max_examples=max(15, settings().max_examples // 4))
