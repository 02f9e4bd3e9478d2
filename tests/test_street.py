"""What anyone on the street gets from the server: files, versions, headers, and closed doors."""

import gzip
import hashlib
import http.client
import json
import re
import tomllib
from base64 import b64encode
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest
import streamlit

from assets.served import (
    ASSETS,
    ASSETS_URL,
    ASSETS_VERSION,
    FAVICON,
    LABELS,
    PLOTLY_URL,
    TEXT,
    content_version,
    languages,
    text_url,
)
from layout import Layout, report_of
from tests.serving import serving

STATIC = Path(streamlit.__file__).parent / "static"
STREAMLIT_JS = min((STATIC / "static" / "js").glob("index.*.js")).relative_to(STATIC).as_posix()
ICON_URL = f"{ASSETS_URL}{FAVICON.name}"

KEPT_FOR_GOOD = "public, max-age=31536000, immutable"


class Answer(NamedTuple):
    """What came back for one question."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def ask(server_url: str, path: str, **headers: str) -> Answer:
    """Asks for exactly this path: no client tidies it on the way. `_` in a header's name is `-`."""
    connection = http.client.HTTPConnection(urlsplit(server_url).netloc, timeout=30)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("GET", f"/{path}", headers=named)
    response = connection.getresponse()
    answer = Answer(response.status, response.headers, b"")
    if response.status != http.HTTPStatus.SWITCHING_PROTOCOLS:
        answer = answer._replace(body=response.read())
    connection.close()
    return answer


def policy_of(answer: Answer) -> dict[str, list[str]]:
    """The Content-Security-Policy: each directive with its sources."""
    directives = [part.split() for part in answer.headers["Content-Security-Policy"].split(";")]
    return {name: sources for name, *sources in directives}


@pytest.mark.parametrize(
    "path",
    [
        "",
        "explorer?tp=4",
        STREAMLIT_JS,
        "_stcore/health",
        "favicon.png",
        ICON_URL,
        PLOTLY_URL,
        text_url("en"),
        "atlas/nowhere",
    ],
)
def test_every_answer_carries_the_security_headers(server_url: str, path: str) -> None:
    headers = ask(server_url, path).headers
    for name in ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy"):
        assert len(headers.get_all(name, [])) == 1, name
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert "X-Frame-Options" not in headers  # it would override frame-ancestors in old browsers


def test_the_policy_allows_our_server_and_the_listed_exceptions(server_url: str) -> None:
    inline = re.findall(r"<script>(.*?)</script>", (STATIC / "index.html").read_text(), re.DOTALL)
    hashes = [f"'sha256-{b64encode(hashlib.sha256(i.encode()).digest()).decode()}'" for i in inline]
    assert len(hashes) == 1, "Streamlit's page has one inline script"
    assert policy_of(ask(server_url, "")) == {
        "default-src": ["'self'"],
        "script-src": ["'self'", "blob:", *hashes],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["*"],
    }


def test_who_may_embed_is_set_by_an_environment_variable() -> None:
    with serving({"RANK_ATLAS_FRAME_ANCESTORS": "'self' https://wiki.example.org"}) as url:
        allowed = policy_of(ask(url, ""))["frame-ancestors"]
    assert allowed == ["'self'", "https://wiki.example.org"]


def test_a_list_of_embedders_that_would_break_the_policy_stops_the_start() -> None:
    with (
        pytest.raises(RuntimeError, match=r"RANK_ATLAS_FRAME_ANCESTORS is .* put spaces between"),
        serving({"RANK_ATLAS_FRAME_ANCESTORS": "https://a.example, https://b.example"}),
    ):
        pass


@pytest.mark.parametrize("path", [ICON_URL, PLOTLY_URL, text_url("en")])
def test_only_the_present_version_is_kept_for_good(server_url: str, path: str) -> None:
    now = ask(server_url, path)
    version = path.split("/")[2 if path == PLOTLY_URL else 1]
    before = ask(server_url, path.replace(version, "0123456789"))
    assert (now.status, now.headers["Cache-Control"]) == (200, KEPT_FOR_GOOD)
    assert (before.status, before.headers["Cache-Control"]) == (200, "no-cache")
    assert now.body == before.body


def test_streamlits_own_files_are_kept_for_good_but_its_page_is_not(server_url: str) -> None:
    assert "immutable" in ask(server_url, STREAMLIT_JS).headers["Cache-Control"]
    assert ask(server_url, "").headers["Cache-Control"] == "no-cache"


def test_the_version_of_the_assets_follows_what_is_served(tmp_path: Path) -> None:
    (tmp_path / "grid.js").write_text("one")
    (tmp_path / "door.py").write_text("one")
    first = content_version(tmp_path)
    (tmp_path / "door.py").write_text("two")
    assert content_version(tmp_path) == first  # no browser sees Python
    (tmp_path / "grid.js").write_text("two")
    second = content_version(tmp_path)
    (tmp_path / "grid.js").rename(tmp_path / "tiles.js")
    assert len({first, second, content_version(tmp_path)}) == 3


@pytest.mark.parametrize("path", ["", STREAMLIT_JS, PLOTLY_URL, text_url("en")])
def test_text_is_compressed_for_who_can_read_it(server_url: str, path: str) -> None:
    plain = ask(server_url, path)
    assert "Content-Encoding" not in plain.headers
    for _ in range(2):  # the second answer comes from memory
        packed = ask(server_url, path, Accept_Encoding="gzip")
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.headers["Vary"] == "Accept-Encoding"
        assert gzip.decompress(packed.body) == plain.body
        assert len(packed.body) < 0.6 * len(plain.body)


def test_a_websocket_opens_uncompressed_by_us(server_url: str) -> None:
    answer = ask(
        server_url,
        "_stcore/stream",
        Connection="Upgrade",
        Upgrade="websocket",
        Sec_WebSocket_Version="13",
        Sec_WebSocket_Key=b64encode(b"sixteen bytes ok").decode(),
        Accept_Encoding="gzip",
    )
    assert answer.status == http.HTTPStatus.SWITCHING_PROTOCOLS
    assert "Content-Encoding" not in answer.headers


@pytest.mark.parametrize(
    ("path", "content_type"),
    [
        (f"{ASSETS_URL}dom.js", "javascript"),
        (f"{ASSETS_URL}page/page.css", "text/css"),
        (ICON_URL, "image/svg+xml"),
        ("favicon.png", "image/svg+xml"),
        (PLOTLY_URL, "javascript"),
        (text_url("en"), "application/json"),
    ],
)
def test_files_come_with_the_type_a_browser_wants(
    server_url: str, path: str, content_type: str
) -> None:
    answer = ask(server_url, path)
    assert answer.status == 200
    assert content_type in answer.headers["Content-Type"]


@pytest.mark.parametrize("language", languages())
def test_labels_are_served_as_they_are_written(server_url: str, language: str) -> None:
    written = tomllib.loads((TEXT / language / LABELS).read_text("utf-8"))
    assert json.loads(ask(server_url, text_url(language)).body) == written


@pytest.mark.parametrize(
    "path",
    [
        *(f"{ASSETS_URL}{path.relative_to(ASSETS).as_posix()}" for path in ASSETS.rglob("*.py")),
        *(f"{ASSETS_URL}{path.relative_to(ASSETS).as_posix()}" for path in ASSETS.rglob("*.md")),
        *(f"{ASSETS_URL}text/{language}/{LABELS}" for language in languages()),
        ASSETS_URL,
        f"{ASSETS_URL}text",
        f"{ASSETS_URL}nothing.js",
        f"{ASSETS_URL}.js",
        f"{ASSETS_URL}../app.py",
        f"{ASSETS_URL}../../../app.py",
        f"{ASSETS_URL}%2e%2e/app.py",
        f"{ASSETS_URL}..%2fapp.py",
        f"{ASSETS_URL}..%5capp.py",
        f"{ASSETS_URL}%00.js",
        f"{ASSETS_URL}/etc/passwd",
        f"{ASSETS_URL}x/" + 300 * "y" + ".js",
        f"atlas/{ASSETS_VERSION}/text/xx.json",
        f"atlas/{ASSETS_VERSION}/text/...json",
        f"atlas/{ASSETS_VERSION}/text/.json",
        f"atlas/{ASSETS_VERSION}/text/en",
        f"atlas/{ASSETS_VERSION}/text/..%2fen.json",
        PLOTLY_URL.replace("plotly.min.js", "widgetbundle.js"),
        "atlas/",
        "atlas/app.py",
    ],
)
def test_nothing_else_is_found(server_url: str, path: str) -> None:
    answer = ask(server_url, path)
    assert answer.status in {400, 404}
    assert len(answer.body) < 100  # no file, and not Streamlit's page either


@pytest.mark.parametrize(
    ("ending", "form", "media_type"),
    [
        ("json", "json", "application/json"),
        ("csv", "csv", "text/csv; charset=utf-8"),
        ("md", "markdown", "text/markdown; charset=utf-8"),
    ],
)
def test_a_file_of_groups_is_what_the_command_line_prints(
    server_url: str, ending: str, form: str, media_type: str
) -> None:
    link = "tp=4&world=48&order=tp-cp-pp-dp"
    answer = ask(server_url, f"atlas/groups/dp-cp.{ending}?{link}", Accept_Encoding="gzip")
    layout = Layout(tp=4, cp=2, dp=3, pp=2, order="tp-cp-pp-dp")
    written = gzip.decompress(answer.body).decode() if len(answer.body) < 500 else ""
    assert (written or answer.body.decode()) == report_of(layout, keys=["dp-cp"], form=form)
    assert answer.headers["Content-Type"] == media_type
    assert answer.headers["Content-Disposition"] == (
        f'attachment; filename="rank-atlas-dp-cp-groups-48-ranks.{ending}"'
    )
    assert "immutable" not in answer.headers.get("Cache-Control", "")


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("cp-dp.csv", 404, "Not Found"),
        ("tp.txt", 404, "Not Found"),
        ("hcp_0.csv", 400, "hcp_0"),
        ("intra_dp_cp.csv?distopt=3", 400, "3"),
        ("tp.csv?tp=many", 400, "these parts of the link cannot be used: tp=many\n"),
        ("tp.csv?tp=2&tp=4&x=1", 400, "these parts of the link cannot be used: tp=2, x=1\n"),
        ("tp.csv?world=7", 400, "tp 2 x cp 2 x pp 2 = 8 does not divide a world of 7 ranks"),
        ("tp.csv?dp=4194304", 400, "33554432 ranks, but at most 4194304"),
    ],
)
def test_a_file_that_cannot_be_made_says_why(
    server_url: str, path: str, status: int, said: str
) -> None:
    answer = ask(server_url, f"atlas/groups/{path}")
    assert answer.status == status
    assert said in answer.body.decode()
