"""The front door: what is served, at which address, with which headers.

`streamlit run app.py` starts it from any folder, and so does an ASGI server started in this one
(`uvicorn app:app`).

    /                                      Streamlit, which runs pages/rank_atlas.py
    /atlas/<version>/assets/...            the files of assets/ that a browser needs
    /atlas/<version>/text/<language>.json  the labels of one language
    /atlas/groups/<kind>.<ending>?tp=2&... all groups of one kind as a file, from a link's parameters
    /atlas/plotly/<version>/plotly.min.js  plotly.js out of the installed plotly package: no CDN
    /favicon.png                           our icon, where Streamlit's page asks for its own

A version that is not ours is served as well, but no browser keeps it: while an upgrade replaces one
server after another, a page from one may ask the next for its files, and a file that is nearly right
serves the reader better than none.
"""

import hashlib
import os
import posixpath
import re
import tomllib
from base64 import b64encode
from importlib.metadata import distribution
from pathlib import Path
from typing import Final

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from assets import served
from layout import LayoutError, address, report_pieces
from layout.errors import one_line

ROOT: Final = Path(__file__).resolve().parent
PLOTLY_JS: Final = str(distribution("plotly").locate_file("plotly/package_data/plotly.min.js"))
STREAMLIT_PAGE: Final = Path(st.__file__).parent / "static" / "index.html"

# The files of groups: the end of a name, the form as the command line calls it, and what a browser does.
GROUP_FILES: Final = {
    "json": ("json", "application/json"),
    "csv": ("csv", "text/csv"),
    "md": ("markdown", "text/markdown"),
}

# Who may show the atlas in an iframe, as CSP writes it: "'self' https://wiki.example.org". Anyone may,
# unless told otherwise: it holds nothing secret and it is made to be embedded.
FRAME_ANCESTORS: Final = os.environ.get("RANK_ATLAS_FRAME_ANCESTORS", "*")

# Streamlit puts its own routes under server.baseUrlPath, but not those that an app adds.
BASE: Final = "/" + (st.get_option("server.baseUrlPath") or "").strip("/")


def cache_control(*, asked: str, ours: str) -> str:
    """How long a browser may keep an answer whose address names a version."""
    return "public, max-age=31536000, immutable" if asked == ours else "no-cache"


class AssetFiles(StaticFiles):
    """The files of `assets/` that a browser needs. The Python, TOML and notes among them: not found."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file at `path`, or 404."""
        if Path(path).suffix not in served.SERVED_SUFFIXES:
            raise HTTPException(404)
        answer = await super().get_response(path, scope)
        asked = scope["path_params"]["version"]
        answer.headers["Cache-Control"] = cache_control(asked=asked, ours=served.ASSETS_VERSION)
        return answer


def text(request: Request) -> Response:
    """The labels of one language. Only a name that is among our folders becomes part of a path."""
    language = request.path_params["language"]
    if language not in served.languages():
        raise HTTPException(404)
    labels = tomllib.loads((served.TEXT / language / served.LABELS).read_text("utf-8"))
    kept = cache_control(asked=request.path_params["version"], ours=served.ASSETS_VERSION)
    return JSONResponse(labels, headers={"Cache-Control": kept})


def plotly_js(request: Request) -> Response:
    """All of plotly.js: the Python package ships no smaller bundle."""
    kept = cache_control(asked=request.path_params["version"], ours=served.PLOTLY_VERSION)
    return FileResponse(PLOTLY_JS, headers={"Cache-Control": kept})


def groups(request: Request) -> Response:
    """All groups of one kind as a file: byte for byte what `python -m layout` prints for the same layout.

    It is written piece by piece while it is sent. What the page would ignore with a remark is an error
    here: the groups of another layout than the one asked for would be worse.
    """
    kind, ending = request.path_params["kind"], request.path_params["ending"]
    if not address.is_table(kind) or ending not in GROUP_FILES:
        raise HTTPException(404)
    form, media_type = GROUP_FILES[ending]
    query = request.query_params
    asked, remarks = address.read({name: query.getlist(name) for name in query})
    try:
        if remarks:
            wrong = ", ".join(f"{remark.name}={one_line(remark.value)}" for remark in remarks)
            return PlainTextResponse(f"these parts of the link cannot be used: {wrong}\n", 400)
        job = asked.job()
        pieces = report_pieces(job, keys=[kind], form=form)
    except LayoutError as error:
        return PlainTextResponse(f"{error}\n", 400)
    name = f"rank-atlas-{kind}-groups-{job.world_size}-ranks.{ending}"
    return StreamingResponse(
        pieces,
        media_type=media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def favicon(_request: Request) -> Response:
    """An SVG under a name that ends in .png: browsers go by the content type.

    Kept for a day: Chromium asks again on every change of the address, so on every slider move.
    """
    return FileResponse(served.FAVICON, headers={"Cache-Control": "public, max-age=86400"})


def content_security_policy(*, page: str, frame_ancestors: str) -> str:
    """What a browser may load and run: all from this server, and each exception with its reason.

    `page` is the HTML that Streamlit starts from. 'self' covers Streamlit's WebSocket too (CSP level 3:
    ws: and wss: of the same host). Nothing needs 'unsafe-eval'; protobuf.js tries WebAssembly for 64-bit
    numbers, is refused, and does without.
    """
    if wrong := sorted(set(frame_ancestors) & set(",;\r\n")):
        raise ValueError(
            f"RANK_ATLAS_FRAME_ANCESTORS is {frame_ancestors!r}, where {wrong[0]!r} ends the list: "
            "put spaces between the sources, as in \"'self' https://wiki.example.org\""
        )
    inline_scripts = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digests = [b64encode(hashlib.sha256(script.encode()).digest()) for script in inline_scripts]
    hashes = [f"'sha256-{digest.decode()}'" for digest in digests]
    return "; ".join(
        [
            "default-src 'self'",
            # blob: is how Streamlit starts a component's module. The hash is that of the one line of
            # script in Streamlit's page.
            " ".join(["script-src 'self' blob:", *hashes]),
            # Streamlit's styles (emotion, styled-components) and those of st.html and of components are
            # <style> elements made in the browser; KaTeX and plotly.js write style attributes.
            "style-src 'self' 'unsafe-inline'",
            # plotly.js shows a heatmap as a picture in a data: address.
            "img-src 'self' data:",
            # One of KaTeX's fonts is so small that Streamlit's build put it into the CSS.
            "font-src 'self' data:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            f"frame-ancestors {frame_ancestors}",
        ]
    )


class SecurityHeaders:
    """The same security headers on every HTTP answer. None keeps a wiki from embedding the atlas."""

    def __init__(self, app: ASGIApp, *, policy: str) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Adds the headers where an answer starts; a WebSocket passes untouched."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = self.policy
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class KeptAnswers:
    """Files that never change come from memory, read and compressed once.

    A first visit to the Explorer asks for 121 files, 8.0 MB, compressed 2.7 MB. Reading and compressing
    them anew for each visitor took 0.6 s of one core, from memory 0.07 s; and a class arrives all at once.
    There are no more answers to keep than there are files: only one called immutable is kept, and a path
    spelled in a roundabout way is passed on.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self.kept: dict[tuple[str, bool], list[Message]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers from memory if it can, otherwise asks on and keeps what may be kept."""
        is_get = scope["type"] == "http" and scope["method"] == "GET"
        if not is_get or scope["path"] != posixpath.normpath(scope["path"]):
            await self.app(scope, receive, send)
            return

        question = scope["path"], "gzip" in Headers(scope=scope).get("Accept-Encoding", "")
        if question in self.kept:
            for message in self.kept[question]:
                await send(message)
            return

        answer: list[Message] = []

        async def send_and_note(message: Message) -> None:
            starts = message["type"] == "http.response.start" and message["status"] == 200
            if answer or (
                starts and "immutable" in Headers(scope=message).get("Cache-Control", "")
            ):
                answer.append(message)
            await send(message)

        await self.app(scope, receive, send_and_note)
        if answer and not answer[-1].get("more_body", False):
            self.kept[question] = answer


# `streamlit run` looks for a name and a call in just this form.
app = st.App(
    ROOT / "pages" / "rank_atlas.py",
    routes=[
        Mount(
            posixpath.join(BASE, "atlas"),
            routes=[
                Mount("/{version}/assets", AssetFiles(directory=served.ASSETS)),
                Route("/{version}/text/{language}.json", text),
                Route("/groups/{kind}.{ending}", groups),
                Route("/plotly/{version}/plotly.min.js", plotly_js),
            ],
        ),
        Route(posixpath.join(BASE, "favicon.png"), favicon),
    ],
    # The first of these meets a question first and its answer last. Streamlit sends its own files
    # uncompressed and leaves that work to a proxy; gzip here is for those who have none.
    middleware=[
        Middleware(KeptAnswers),
        Middleware(
            SecurityHeaders,
            policy=content_security_policy(
                page=STREAMLIT_PAGE.read_text("utf-8"), frame_ancestors=FRAME_ANCESTORS
            ),
        ),
        Middleware(GZipMiddleware),
    ],
)
