"""What Table 5.1 prints; "OFW" is DP-TOFW there."""

from __future__ import annotations

from typing import Final, NamedTuple


class Printed(NamedTuple):
    """Means and standard deviations over 10 seeds."""

    risk: float
    risk_deviation: float
    subopt: float
    subopt_deviation: float


# By horizon, dimension, p and algorithm.  The row (10000, 5, inf, NoisySGD) is absent in the paper.
TABLE_5_1: Final[dict[tuple[int, int, str, str], Printed]] = {
    (1000, 5, "1.5", "NoisySFW"): Printed(0.0885, 0.00907, 0.522, 0.0565),
    (1000, 5, "1.5", "DP-TOFW"): Printed(0.00536, 0.00155, 0.0172, 0.00987),
    (1000, 5, "inf", "NoisySGD"): Printed(0.0259, 0.0176, 0.0802, 0.0613),
    (1000, 5, "inf", "DP-TOFW"): Printed(0.0357, 0.0216, 0.112, 0.0727),
    (1000, 10, "1.5", "NoisySFW"): Printed(0.0771, 0.0107, 0.953, 0.0947),
    (1000, 10, "1.5", "DP-TOFW"): Printed(0.0183, 0.00332, 0.201, 0.0483),
    (1000, 10, "inf", "NoisySGD"): Printed(0.0525, 0.0149, 0.636, 0.186),
    (1000, 10, "inf", "DP-TOFW"): Printed(0.0915, 0.0209, 0.582, 0.157),
    (1000, 20, "1.5", "NoisySFW"): Printed(0.0414, 0.000302, 1.05, 0.0108),
    (1000, 20, "1.5", "DP-TOFW"): Printed(0.0307, 0.00344, 0.775, 0.128),
    (1000, 20, "inf", "NoisySGD"): Printed(0.0202, 0.00262, 0.955, 0.111),
    (1000, 20, "inf", "DP-TOFW"): Printed(0.0766, 0.00464, 0.982, 0.0768),
    (2000, 5, "1.5", "NoisySFW"): Printed(0.0746, 0.00644, 0.44, 0.0287),
    (2000, 5, "1.5", "DP-TOFW"): Printed(0.00285, 0.000197, 0.00235, 0.00106),
    (2000, 5, "inf", "NoisySGD"): Printed(0.0127, 0.00371, 0.0344, 0.0133),
    (2000, 5, "inf", "DP-TOFW"): Printed(0.0152, 0.00585, 0.0432, 0.02),
    (2000, 10, "1.5", "NoisySFW"): Printed(0.0701, 0.00493, 0.887, 0.0691),
    (2000, 10, "1.5", "DP-TOFW"): Printed(0.00704, 0.00247, 0.0595, 0.0321),
    (2000, 10, "inf", "NoisySGD"): Printed(0.0382, 0.0133, 0.484, 0.178),
    (2000, 10, "inf", "DP-TOFW"): Printed(0.0582, 0.0113, 0.364, 0.0795),
    (2000, 20, "1.5", "NoisySFW"): Printed(0.0376, 0.00262, 0.957, 0.0673),
    (2000, 20, "1.5", "DP-TOFW"): Printed(0.018, 0.00374, 0.406, 0.106),
    (2000, 20, "inf", "NoisySGD"): Printed(0.0209, 0.00148, 0.947, 0.0672),
    (2000, 20, "inf", "DP-TOFW"): Printed(0.067, 0.00799, 0.82, 0.114),
    (5000, 5, "1.5", "NoisySFW"): Printed(0.0587, 0.0212, 0.35, 0.135),
    (5000, 5, "1.5", "DP-TOFW"): Printed(0.00258, 1.58e-05, 0.000702, 0.00051),
    (5000, 5, "inf", "NoisySGD"): Printed(0.00538, 0.000982, 0.00989, 0.00378),
    (5000, 5, "inf", "DP-TOFW"): Printed(0.00667, 0.000392, 0.0145, 0.00153),
    (5000, 10, "1.5", "NoisySFW"): Printed(0.0659, 0.00926, 0.808, 0.115),
    (5000, 10, "1.5", "DP-TOFW"): Printed(0.00376, 0.000479, 0.0163, 0.0053),
    (5000, 10, "inf", "NoisySGD"): Printed(0.0201, 0.00175, 0.115, 0.0118),
    (5000, 10, "inf", "DP-TOFW"): Printed(0.022, 0.00347, 0.125, 0.0204),
    (5000, 20, "1.5", "NoisySFW"): Printed(0.0401, 0.000848, 1.0, 0.0264),
    (5000, 20, "1.5", "DP-TOFW"): Printed(0.00962, 0.00209, 0.185, 0.0558),
    (5000, 20, "inf", "NoisySGD"): Printed(0.049, 0.00585, 0.602, 0.0571),
    (5000, 20, "inf", "DP-TOFW"): Printed(0.0535, 0.00736, 0.637, 0.105),
    (10000, 5, "1.5", "NoisySFW"): Printed(0.0607, 0.027, 0.351, 0.161),
    (10000, 5, "1.5", "DP-TOFW"): Printed(0.00255, 4.72e-05, 0.000318, 0.000179),
    (10000, 5, "inf", "DP-TOFW"): Printed(0.00337, 0.000336, 0.00293, 0.00106),
    (10000, 10, "1.5", "NoisySFW"): Printed(0.0646, 0.00522, 0.789, 0.0744),
    (10000, 10, "1.5", "DP-TOFW"): Printed(0.00282, 0.00025, 0.00465, 0.00184),
    (10000, 10, "inf", "NoisySGD"): Printed(0.0103, 0.000748, 0.0505, 0.00514),
    (10000, 10, "inf", "DP-TOFW"): Printed(0.00976, 0.00259, 0.0467, 0.0159),
    (10000, 20, "1.5", "NoisySFW"): Printed(0.0391, 0.00178, 0.937, 0.0303),
    (10000, 20, "1.5", "DP-TOFW"): Printed(0.00487, 0.000584, 0.0592, 0.0155),
    (10000, 20, "inf", "NoisySGD"): Printed(0.0409, 0.00362, 0.482, 0.0453),
    (10000, 20, "inf", "DP-TOFW"): Printed(0.0316, 0.00192, 0.363, 0.0283),
}
