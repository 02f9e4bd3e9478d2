"""What several test files share."""

from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.serving import serving

# A machine may be slow: no example of hypothesis fails by the clock.
settings.register_profile("any-machine", deadline=None)
settings.load_profile("any-machine")


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The URL of one running app for all tests."""
    with serving() as url:
        yield url
