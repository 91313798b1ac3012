"""Random hand-ins among honest ones: nobody is lost, and nothing of the honest changes.

``make fuzz`` tries 10,000.
"""

import pytest
from helpers import fuzz_class

pytestmark = pytest.mark.slow


def test_random_hand_ins_harm_nobody():
    """Fifty of them: bytes, notebooks and archives."""
    assert fuzz_class.run(50, seed=10_000) == []
