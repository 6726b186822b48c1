"""An accountant, tested on golden vectors: one test each."""

import pytest
from my_accountant import answer


@pytest.mark.dpref_vectors("accountant", only=["gaussian", "out-of-domain"], skip={"Tree": "not ours"})
def test_accountant(dp_vector):
    dp_vector.check(answer)
