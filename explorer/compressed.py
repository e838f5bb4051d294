"""Streamlit's own scripts and styles: compressed once instead of never, the largest first.

Streamlit sends them as they are: 7 MB before the first chart is drawn. Compressing them for every
visitor anew would cost each a quarter of a second of a core.
"""

import asyncio
import gzip
import re
from pathlib import Path

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

COMPRESSIBLE = {".js", ".css", ".svg", ".json"}
CONDITIONS = (b"if-none-match", b"if-modified-since")


class CompressedOnce:
    """ASGI middleware: the files of `folder` under /`base`/static, gzipped for who takes that.

    A file is compressed when it is first asked for and then kept: all of Streamlit's take 7 MB of
    memory. Headers stay as they were below, but for what belongs to the encoding; parts (Range)
    are sent as they are, and so is everything else. The page itself names Plotly in a header, so
    that it is loaded and compiled while Streamlit starts, and not only when a chart is to be drawn.
    """

    def __init__(self, app: ASGIApp, folder: Path, base: str) -> None:
        self._app, above = app, f"/{base.strip('/')}/" if base.strip("/") else "/"
        self._files = {
            above + file.relative_to(folder).as_posix(): file
            for file in (folder / "static").rglob("*")
            if file.suffix in COMPRESSIBLE
        }
        self._bodies: dict[str, asyncio.Future[bytes]] = {}
        plotly = (name for name in self._files if "/PlotlyChart." in name and name.endswith(".js"))
        self._early = {above: ", ".join(f"<{name}>; rel=modulepreload" for name in plotly)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        name = scope["path"] if scope["type"] == "http" else ""
        if name in self._early:
            await self._app(scope, receive, _with(send, "link", self._early[name]))
            return
        if name not in self._files or scope["method"] not in ("GET", "HEAD"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if "range" in headers or not takes_gzip(",".join(headers.getlist("accept-encoding"))):
            await self._app(scope, receive, _with(send, "vary", "Accept-Encoding"))
            return
        body = await self._body(name)
        asked = scope | {
            "method": "HEAD",  # all but the body, which would be read from the disk
            "headers": [each for each in scope["headers"] if each[0] not in CONDITIONS],
        }
        known = headers.get("if-none-match", "")
        await self._app(asked, receive, _compressed(send, body, known, scope["method"] == "GET"))

    async def _body(self, name: str) -> bytes:
        if name not in self._bodies:
            compressing = asyncio.to_thread(_gzip, self._files[name])
            self._bodies[name] = asyncio.ensure_future(compressing)
        return await asyncio.shield(self._bodies[name])  # whoever asked first may leave


def takes_gzip(accepted: str) -> bool:
    """Whether an Accept-Encoding header allows gzip.

    >>> takes_gzip("br, gzip;q=0.5"), takes_gzip("gzip;q=0, br"), takes_gzip("")
    (True, False, False)
    """
    found = re.search(
        r"(?:^|,)\s*gzip\s*(?:;\s*q=(\d(?:\.\d*)?)\s*)?(?:,|$)", accepted, re.IGNORECASE
    )
    return bool(found) and float(found[1] or 1) > 0


def _gzip(file: Path) -> bytes:
    return gzip.compress(file.read_bytes(), mtime=0)  # the same in every process


def _with(send: Send, name: str, value: str) -> Send:
    """Send a response with one more header."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).append(name, value)
        await send(message)

    return sent


def _compressed(send: Send, body: bytes, known: str, wanted: bool) -> Send:
    """Put the compressed body in the place of none, if it is wanted and not `known` by its ETag."""
    whole = wanted

    async def sent(message: Message) -> None:
        nonlocal whole
        if message["type"] == "http.response.start" and message["status"] == 200:
            headers = MutableHeaders(scope=message)
            tag = headers["etag"].removesuffix('"') + '-gzip"'
            headers["etag"] = tag
            headers["content-encoding"] = "gzip"
            headers["content-length"] = str(len(body))
            headers["accept-ranges"] = "none"
            headers.add_vary_header("Accept-Encoding")
            if known == "*" or tag in known.replace("W/", "").replace(" ", "").split(","):
                message["status"], whole = 304, False
                del headers["content-length"]
        elif message["type"] == "http.response.start":
            whole = False
        else:
            message = message | {"body": body if whole else b""}
        await send(message)

    return sent
