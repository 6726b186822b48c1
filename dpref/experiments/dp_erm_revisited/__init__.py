"""Wang, Ye and Xu 2017: Appendix A's comparison on a surrogate of its data, and both papers on the bundled data."""
