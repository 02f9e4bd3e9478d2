"""Where Chromium is: `find()` for the tests, `python -m tests.chromium` to make sure there is one."""

import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path

FLAGS = (
    "--headless",
    "--no-sandbox",  # a container's root has no other way
    "--disable-gpu",
    # What follows keeps Chromium from asking other machines for anything: tests need no network.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL_SECONDS = 300

ADVICE = """\
No Chromium here, and none could be installed. One of these gets one:
  * as root on Debian: apt-get install chromium
  * with a network: python -m playwright install chromium
  * where Chrome or Chromium lies elsewhere: set the environment variable CHROMIUM to its path"""


def find() -> str | None:
    """Path of a Chromium or Chrome: what CHROMIUM names, else one on PATH, else Playwright's own."""
    for name in (os.environ.get("CHROMIUM", ""), *NAMES):
        if path := shutil.which(name):
            return path
    return _playwrights_own()


def _playwrights_own() -> str | None:
    """The Chromium that `playwright install` downloads, if it has."""
    # In a process of its own: two of Playwright's drivers do not run in one.
    ask = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", ask], capture_output=True, text=True, check=False, timeout=60
    )
    path = answer.stdout.strip()
    return path if path and Path(path).exists() else None


def _with_apt() -> None:
    _run("apt-get", "update", "-q")
    _run("apt-get", "install", "-qy", "--no-install-recommends", "chromium")


def _with_playwright() -> None:
    # The libraries that Chromium needs come through apt-get.
    needs = ["--with-deps"] if _may_use_apt() else []
    _run(sys.executable, "-m", "playwright", "install", *needs, "chromium")


def _run(*command: str) -> None:
    """Runs a command; one that fails or takes too long is no more than a line for the reader."""
    print("$", *command, flush=True)
    quick = {
        "DEBIAN_FRONTEND": "noninteractive",
        "PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT": "10000",  # milliseconds, for each of its tries
    }
    try:
        subprocess.run(command, check=True, timeout=INSTALL_SECONDS, env={**os.environ, **quick})
    except (OSError, subprocess.SubprocessError) as error:
        print(error, flush=True)


def _may_use_apt() -> bool:
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def _is_debian() -> bool:
    try:
        return platform.freedesktop_os_release()["ID"] == "debian"
    except OSError:
        return False


def main() -> int:
    """Finds a Chromium or installs one; returns 0 if there is one in the end."""
    # Debian's package is quick and brings its libraries. Ubuntu's only fetches a snap: not tried.
    debian = [_with_apt] if _may_use_apt() and _is_debian() else []
    for way in [*debian, _with_playwright]:
        if find():
            break
        way()
    path = find()
    print(f"Chromium: {path}" if path else ADVICE)
    return 0 if path else 1


if __name__ == "__main__":
    sys.exit(main())
