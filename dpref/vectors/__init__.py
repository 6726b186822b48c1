"""Golden vectors: questions with certified answers, as files that an implementation in any language can be tested on.

Six families: what events spend (`accountant`), how much noise a budget needs (`calibration`), runs on a tape of noise
(`transcript`), how far queries move (`sensitivity`), exact samplers on recorded bits (`sampler`), the claims of papers
(`claims`).  ``dpref vectors make DIR`` writes them, ``dpref vectors check DIR`` checks them, and with ``--mine`` an
implementation.
"""
