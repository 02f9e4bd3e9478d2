"""A server of our own app, for tests and measurements: `with serving() as url:`."""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
START_SECONDS = 60


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


@contextmanager
def serving(
    environment: Mapping[str, str] | None = None, *, port: int | None = None
) -> Iterator[str]:
    """Starts `streamlit run app.py` on `port`, or a free one of this machine; gives its URL, without a slash.

    Raises RuntimeError with the server's own words where it does not come up.
    """
    port = port or free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py")]
    options = [f"--server.port={port}", "--server.address=127.0.0.1", "--server.headless=true"]
    with tempfile.TemporaryFile("w+") as said:
        server = subprocess.Popen(
            [*command, *options],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=said,
            stderr=subprocess.STDOUT,
        )
        url = f"http://127.0.0.1:{port}"
        try:
            _wait_for(f"{url}/_stcore/health", server)
            yield url
        except _NotStarted:
            said.seek(0)
            raise RuntimeError(f"the app did not start:\n{said.read()}") from None
        finally:
            server.terminate()
            server.wait(10)


class _NotStarted(Exception):
    pass


def _wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(START_SECONDS * 10):
        try:
            urllib.request.urlopen(url, timeout=1)
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise _NotStarted
