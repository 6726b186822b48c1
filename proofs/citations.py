"""What the obligations cite, as BibTeX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True)
class Citation:
    """One reference.

    Attributes:
        key: BibTeX key.
        kind: BibTeX entry type.
        fields: BibTeX fields, in order.
    """

    key: str
    kind: str
    fields: tuple[tuple[str, str], ...]

    @property
    def bibtex(self) -> str:
        """The BibTeX entry."""
        body = "".join(f"  {name} = {{{value}}},\n" for name, value in self.fields)
        return f"@{self.kind}{{{self.key},\n{body}}}\n"


def _entry(key: str, kind: str, **fields: str) -> Citation:
    return Citation(key, kind, tuple(fields.items()))


CITATIONS: Final[Mapping[str, Citation]] = MappingProxyType(
    {
        c.key: c
        for c in (
            _entry(
                "hong2022dynamic",
                "inproceedings",
                author="Junyuan Hong and Zhangyang Wang and Jiayu Zhou",
                title="Dynamic Privacy Budget Allocation Improves Data Efficiency of Differentially Private "
                "Gradient Descent",
                booktitle="ACM Conference on Fairness, Accountability, and Transparency (FAccT)",
                year="2022",
                eprint="2101.07413",
            ),
            _entry(
                "menart2024kl",
                "inproceedings",
                author="Michael Menart and Enayat Ullah and Raman Arora and Raef Bassily and Cristobal Guzman",
                title="Differentially Private Non-Convex Optimization under the {KL} Condition with Optimal Rates",
                booktitle="International Conference on Algorithmic Learning Theory (ALT)",
                year="2024",
                eprint="2311.13447",
            ),
            _entry(
                "han2022online",
                "inproceedings",
                author="Yuxuan Han and Zhicong Liang and Zhipeng Liang and Yang Wang and Yuan Yao and Jiheng Zhang",
                title="Private Streaming {SCO} in $\\ell_p$ geometry with Applications in High Dimensional Online "
                "Decision Making",
                booktitle="International Conference on Machine Learning (ICML)",
                year="2022",
            ),
            _entry(
                "hsu2014private",
                "inproceedings",
                author="Justin Hsu and Zhiyi Huang and Aaron Roth and Tim Roughgarden and Zhiwei Steven Wu",
                title="Private Matchings and Allocations",
                booktitle="ACM Symposium on Theory of Computing (STOC)",
                year="2014",
            ),
            _entry(
                "shariff2018bandits",
                "inproceedings",
                author="Roshan Shariff and Or Sheffet",
                title="Differentially Private Contextual Linear Bandits",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2018",
            ),
            _entry(
                "juditsky2008large",
                "article",
                author="Anatoli Juditsky and Arkadii Nemirovski",
                title="Large deviations of vector-valued martingales in 2-smooth normed spaces",
                journal="arXiv:0809.0813",
                year="2008",
            ),
            _entry(
                "wang2017revisited",
                "inproceedings",
                author="Di Wang and Minwei Ye and Jinhui Xu",
                title="Differentially Private Empirical Risk Minimization Revisited: Faster and More General",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2017",
            ),
            _entry(
                "bun2016concentrated",
                "inproceedings",
                author="Mark Bun and Thomas Steinke",
                title="Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds",
                booktitle="Theory of Cryptography Conference (TCC)",
                year="2016",
            ),
            _entry(
                "canonne2020discrete",
                "inproceedings",
                author="Cl{\\'e}ment Canonne and Gautam Kamath and Thomas Steinke",
                title="The Discrete Gaussian for Differential Privacy",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2020",
            ),
            _entry(
                "mironov2017renyi",
                "inproceedings",
                author="Ilya Mironov",
                title="R{\\'e}nyi Differential Privacy",
                booktitle="IEEE Computer Security Foundations Symposium (CSF)",
                year="2017",
            ),
            _entry(
                "balle2018improving",
                "inproceedings",
                author="Borja Balle and Yu-Xiang Wang",
                title="Improving the Gaussian Mechanism for Differential Privacy: Analytical Calibration and Optimal "
                "Denoising",
                booktitle="International Conference on Machine Learning (ICML)",
                year="2018",
            ),
            _entry(
                "dwork2014foundations",
                "article",
                author="Cynthia Dwork and Aaron Roth",
                title="The Algorithmic Foundations of Differential Privacy",
                journal="Foundations and Trends in Theoretical Computer Science",
                year="2014",
            ),
            _entry(
                "gil2013renyi",
                "article",
                author="Manuel Gil and Fady Alajaji and Tamas Linder",
                title="R{\\'e}nyi divergence measures for commonly used univariate continuous distributions",
                journal="Information Sciences",
                year="2013",
            ),
            _entry(
                "karimi2016linear",
                "inproceedings",
                author="Hamed Karimi and Julie Nutini and Mark Schmidt",
                title="Linear Convergence of Gradient and Proximal-Gradient Methods Under the "
                "Polyak-{\\L}ojasiewicz Condition",
                booktitle="European Conference on Machine Learning (ECML PKDD)",
                year="2016",
            ),
            _entry(
                "shalev2009stochastic",
                "inproceedings",
                author="Shai Shalev-Shwartz and Ohad Shamir and Nathan Srebro and Karthik Sridharan",
                title="Stochastic Convex Optimization",
                booktitle="Conference on Learning Theory (COLT)",
                year="2009",
            ),
            _entry(
                "nesterov2018lectures",
                "book",
                author="Yurii Nesterov",
                title="Lectures on Convex Optimization",
                publisher="Springer",
                year="2018",
            ),
            _entry(
                "gonzalez2024mirror",
                "misc",
                author="Tom{\\'a}s Gonz{\\'a}lez and Crist{\\'o}bal Guzm{\\'a}n and Courtney Paquette",
                title="Mirror Descent Algorithms with Nearly Dimension-Independent Rates for "
                "Differentially-Private Stochastic Saddle-Point Problems",
                year="2024",
                eprint="2403.02912",
            ),
            _entry(
                "cesar2021bounding",
                "inproceedings",
                author="Mark Cesar and Ryan Rogers",
                title="Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for Data Analytics",
                booktitle="Algorithmic Learning Theory (ALT)",
                year="2021",
            ),
            _entry(
                "mcsherry2007mechanism",
                "inproceedings",
                author="Frank McSherry and Kunal Talwar",
                title="Mechanism Design via Differential Privacy",
                booktitle="IEEE Symposium on Foundations of Computer Science (FOCS)",
                year="2007",
            ),
            _entry(
                "neyman1933problem",
                "article",
                author="Jerzy Neyman and Egon S. Pearson",
                title="On the Problem of the Most Efficient Tests of Statistical Hypotheses",
                journal="Philosophical Transactions of the Royal Society A",
                year="1933",
            ),
            _entry(
                "zhu2022optimal",
                "inproceedings",
                author="Yuqing Zhu and Jinshuo Dong and Yu-Xiang Wang",
                title="Optimal Accounting of Differential Privacy via Characteristic Function",
                booktitle="International Conference on Artificial Intelligence and Statistics (AISTATS)",
                year="2022",
            ),
            _entry(
                "doroshenko2022connect",
                "article",
                author="Vadym Doroshenko and Badih Ghazi and Pritish Kamath and Ravi Kumar and Pasin Manurangsi",
                title="Connect the Dots: Tighter Discrete Approximations of Privacy Loss Distributions",
                journal="Proceedings on Privacy Enhancing Technologies",
                year="2022",
            ),
            _entry(
                "brisebarre2020error",
                "article",
                author="Nicolas Brisebarre and Mioara Jolde{\\c s} and Jean-Michel Muller and Ana-Maria "
                "Nane{\\c s} and Joris Picot",
                title="Error Analysis of Some Operations Involved in the Cooley-Tukey Fast Fourier Transform",
                journal="ACM Transactions on Mathematical Software",
                year="2020",
            ),
            _entry(
                "brent2007error",
                "article",
                author="Richard Brent and Colin Percival and Paul Zimmermann",
                title="Error Bounds on Complex Floating-Point Multiplication",
                journal="Mathematics of Computation",
                year="2007",
            ),
            _entry(
                "higham2002accuracy",
                "book",
                author="Nicholas Higham",
                title="Accuracy and Stability of Numerical Algorithms",
                publisher="SIAM",
                year="2002",
            ),
            _entry(
                "mironov2019sampled",
                "misc",
                author="Ilya Mironov and Kunal Talwar and Li Zhang",
                title="R{\\'e}nyi Differential Privacy of the Sampled Gaussian Mechanism",
                note="arXiv:1908.10530",
                year="2019",
            ),
            _entry(
                "wang2019subsampled",
                "inproceedings",
                author="Yu-Xiang Wang and Borja Balle and Shiva Kasiviswanathan",
                title="Subsampled R{\\'e}nyi Differential Privacy and Analytical Moments Accountant",
                booktitle="International Conference on Artificial Intelligence and Statistics (AISTATS)",
                year="2019",
            ),
            _entry(
                "kairouz2015composition",
                "inproceedings",
                author="Peter Kairouz and Sewoong Oh and Pramod Viswanath",
                title="The Composition Theorem for Differential Privacy",
                booktitle="International Conference on Machine Learning (ICML)",
                year="2015",
            ),
            _entry(
                "dwork2010boosting",
                "inproceedings",
                author="Cynthia Dwork and Guy Rothblum and Salil Vadhan",
                title="Boosting and Differential Privacy",
                booktitle="IEEE Symposium on Foundations of Computer Science (FOCS)",
                year="2010",
            ),
            _entry(
                "cesar2021bounding",
                "inproceedings",
                author="Mark Cesar and Ryan Rogers",
                title="Bounding, Concentrating, and Truncating: Unifying Privacy Loss Composition for Data Analytics",
                booktitle="International Conference on Algorithmic Learning Theory (ALT)",
                year="2021",
            ),
            _entry(
                "dong2020optimal",
                "inproceedings",
                author="Jinshuo Dong and David Durfee and Ryan Rogers",
                title="Optimal Differential Privacy Composition for Exponential Mechanisms",
                booktitle="International Conference on Machine Learning (ICML)",
                year="2020",
            ),
            _entry(
                "papernot2022hyperparameter",
                "inproceedings",
                author="Nicolas Papernot and Thomas Steinke",
                title="Hyperparameter Tuning with R{\\'e}nyi Differential Privacy",
                booktitle="International Conference on Learning Representations (ICLR)",
                year="2022",
            ),
            _entry(
                "wasserman2010statistical",
                "article",
                author="Larry Wasserman and Shuheng Zhou",
                title="A Statistical Framework for Differential Privacy",
                journal="Journal of the American Statistical Association",
                year="2010",
            ),
            _entry(
                "whitehouse2023fully",
                "inproceedings",
                author="Justin Whitehouse and Aaditya Ramdas and Ryan Rogers and Steven Wu",
                title="Fully-Adaptive Composition in Differential Privacy",
                booktitle="International Conference on Machine Learning (ICML)",
                year="2023",
            ),
            _entry(
                "denisov2022improved",
                "inproceedings",
                author="Sergey Denisov and H. Brendan McMahan and Keith Rush and Adam Smith and "
                "Abhradeep Guha Thakurta",
                title="Improved Differential Privacy for {SGD} via Optimal Private Linear Operators on Adaptive "
                "Streams",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2022",
                eprint="2202.08312",
            ),
            _entry(
                "choquette2023banded",
                "inproceedings",
                author="Christopher A. Choquette-Choo and Arun Ganesh and Ryan McKenna and H. Brendan McMahan and "
                "Keith Rush and Abhradeep Guha Thakurta and Zheng Xu",
                title="(Amplified) Banded Matrix Factorization: A Unified Approach to Private Training",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2023",
                eprint="2306.08153",
            ),
            _entry(
                "kalinin2024banded",
                "inproceedings",
                author="Nikita P. Kalinin and Christoph Lampert",
                title="Banded Square Root Matrix Factorization for Differentially Private Model Training",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2024",
                eprint="2405.13763",
            ),
            _entry(
                "boucheron2013concentration",
                "book",
                author="Stephane Boucheron and Gabor Lugosi and Pascal Massart",
                title="Concentration Inequalities: A Nonasymptotic Theory of Independence",
                publisher="Oxford University Press",
                year="2013",
            ),
            _entry(
                "dong2022gaussian",
                "article",
                author="Jinshuo Dong and Aaron Roth and Weijie Su",
                title="Gaussian Differential Privacy",
                journal="Journal of the Royal Statistical Society B",
                year="2022",
            ),
            _entry(
                "balle2018privacy",
                "inproceedings",
                author="Borja Balle and Gilles Barthe and Marco Gaboardi",
                title="Privacy Amplification by Subsampling: Tight Analyses via Couplings and Divergences",
                booktitle="Advances in Neural Information Processing Systems (NeurIPS)",
                year="2018",
            ),
            _entry(
                "chua2025balls",
                "inproceedings",
                author="Lynn Chua and Badih Ghazi and Charlie Harrison and Pritish Kamath and Ravi Kumar and "
                "Ethan Leeman and Pasin Manurangsi and Amer Sinha and Chiyuan Zhang",
                title="Balls-and-Bins Sampling for {DP-SGD}",
                booktitle="International Conference on Artificial Intelligence and Statistics (AISTATS)",
                year="2025",
                eprint="2412.16802",
            ),
            _entry(
                "shaked2007stochastic",
                "book",
                author="Moshe Shaked and J. George Shanthikumar",
                title="Stochastic Orders",
                publisher="Springer",
                year="2007",
            ),
        )
    }
)
