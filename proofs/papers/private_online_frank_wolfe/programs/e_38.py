"""Han et al. (arXiv 2206.08111), Lemma 2.1: the printed density does not integrate to one (d = 2, l_3)."""

from mpmath import cos, diff, mp, nstr, quad, sin, sqrt

mp.dps = 15
INDEX = 3  # of the norm; sigma = 1, d = 2


def radius(angle):
    """Return the Euclidean length of the point of the unit sphere of l_3 in this direction."""
    return (abs(cos(angle)) ** INDEX + abs(sin(angle)) ** INDEX) ** (-mp.one / INDEX)


corner = mp.pi / 4
surface = 8 * quad(lambda a: sqrt(radius(a) ** 2 + diff(radius, a) ** 2), [0, corner])  # the length of the curve
cone = 8 * quad(lambda a: radius(a) ** 2, [0, corner])  # d times the area inside
mass = cone / surface  # of the printed density: both are multiplied by (2 sigma^2)^(d/2) Gamma(d/2) / 2
print(f"printed = {nstr(surface, 5)}\ntrue = {nstr(cone, 5)}\nthe printed density has the mass {nstr(mass, 5)}")
