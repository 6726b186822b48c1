"""Every kernel of the library is what a declaration says that a kernel is."""

from dpref.algorithms.accelerated_mirror_descent import kernel as accelerated_mirror_descent
from dpref.algorithms.adaptive_gradient_descent import kernel as adaptive_gradient_descent
from dpref.algorithms.anytime_mirror_descent import kernel as anytime_mirror_descent
from dpref.algorithms.bias_reduced_mirror_descent import kernel as bias_reduced_mirror_descent
from dpref.algorithms.boosted_mirror_descent import kernel as boosted_mirror_descent
from dpref.algorithms.dynamic_boosting import kernel as dynamic_boosting
from dpref.algorithms.dynamic_gradient_descent import kernel as dynamic_gradient_descent
from dpref.algorithms.dynamic_sgd import kernel as dynamic_sgd
from dpref.algorithms.gradient_descent import kernel as gradient_descent
from dpref.algorithms.high_dimensional_bandit import kernel as high_dimensional_bandit
from dpref.algorithms.linear_ucb import kernel as linear_ucb
from dpref.algorithms.local_mirror_descent import kernel as local_mirror_descent
from dpref.algorithms.mirror_descent import kernel as mirror_descent
from dpref.algorithms.noisy_frank_wolfe import kernel as noisy_frank_wolfe
from dpref.algorithms.noisy_gradient_descent import kernel as noisy_gradient_descent
from dpref.algorithms.noisy_sgd import kernel as noisy_sgd
from dpref.algorithms.online_frank_wolfe import kernel as online_frank_wolfe
from dpref.algorithms.polyhedral_frank_wolfe import kernel as polyhedral_frank_wolfe
from dpref.algorithms.proximal_point import kernel as proximal_point
from dpref.algorithms.spider import kernel as spider
from dpref.algorithms.stationary_point import kernel as stationary_point
from dpref.algorithms.svrg import kernel as svrg
from dpref.algorithms.svrg_plus_plus import kernel as svrg_plus_plus
from dpref.algorithms.synthetic_data import kernel as synthetic_data
from dpref.algorithms.variance_reduced_frank_wolfe import kernel as variance_reduced_frank_wolfe
from dpref.algorithms.declaration import Kernel

KERNELS: tuple[Kernel, ...] = (
    accelerated_mirror_descent,
    adaptive_gradient_descent,
    anytime_mirror_descent,
    bias_reduced_mirror_descent,
    boosted_mirror_descent,
    dynamic_boosting,
    dynamic_gradient_descent,
    dynamic_sgd,
    gradient_descent,
    high_dimensional_bandit,
    linear_ucb,
    local_mirror_descent,
    mirror_descent,
    noisy_frank_wolfe,
    noisy_gradient_descent,
    noisy_sgd,
    online_frank_wolfe,
    polyhedral_frank_wolfe,
    proximal_point,
    spider,
    stationary_point,
    svrg,
    svrg_plus_plus,
    synthetic_data,
    variance_reduced_frank_wolfe,
)
