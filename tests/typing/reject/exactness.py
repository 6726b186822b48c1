"""Where an exact number is asked for, a float is refused; number systems do not mix in one formula."""

from fractions import Fraction

from dpref.privacy.closed_forms.conversions import zcdp_epsilon
from dpref.privacy.events.ledger import Gaussian, Repeat
from dpref.reals import BALL, FLOAT, ball, evaluate
from dpref.units import L2, ZCDP, PrivacyLoss, ReplaceOne, Sensitivity

Sensitivity(0.1, L2, ReplaceOne)  # error: [arg-type]
PrivacyLoss(0.5, ZCDP, ReplaceOne)  # error: [arg-type]
Gaussian(1.5)  # error: [arg-type]
Repeat(Gaussian(Fraction(1)), 2.0)  # error: [arg-type]
Sensitivity(Fraction(1), L2, ReplaceOne).scale(0.5)  # error: [arg-type]
ball(0.1)  # error: [arg-type]
BALL.number(0.1)  # error: [arg-type]
BALL.exp(1.0)  # error: [arg-type]
FLOAT.exp(ball(1))  # error: [arg-type]
zcdp_epsilon(BALL, ball(1), 8.0)  # error: [misc]
zcdp_epsilon(FLOAT, 1.0, ball(8))  # error: [misc]
evaluate(lambda: FLOAT.exp(1.0))  # error: [arg-type] [return-value]

sensitivity = Sensitivity(Fraction(1), L2, ReplaceOne)
sensitivity.value = Fraction(1, 2)  # error: [misc]
