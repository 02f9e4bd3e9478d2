"""What several test files share."""

from collections.abc import Iterator

import pytest

from tests.serving import serving


@pytest.fixture(scope="session")
def server_url() -> Iterator[str]:
    """The URL of one running app for all tests."""
    with serving() as url:
        yield url
