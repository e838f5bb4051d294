"""Streamlit's own files as the server sends them: compressed once, and otherwise unchanged."""

import asyncio
import gzip
import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.file_util import get_static_dir

from tests.bench.client import Server, serve, viewer

STATIC = Path(get_static_dir())
LARGEST = max((STATIC / "static").rglob("*.js"), key=lambda file: file.stat().st_size)
SCRIPT = "/" + LARGEST.relative_to(STATIC).as_posix()
BODY = LARGEST.read_bytes()
GZIP = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serve("app.py") as server:
        yield server


@pytest.fixture
def get(server):
    def get(path: str, method: str = "GET", **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
        connection.request(
            method, path, headers={n.replace("_", "-"): v for n, v in headers.items()}
        )
        answer = connection.getresponse()
        found = answer.status, {n.lower(): v for n, v in answer.getheaders()}, answer.read()
        connection.close()
        return found

    return get


def test_a_script_comes_compressed_and_is_the_script(get):
    status, headers, body = get(SCRIPT, **GZIP)
    assert status == 200
    assert headers["content-encoding"] == "gzip"
    assert int(headers["content-length"]) == len(body) < len(BODY) / 3
    assert gzip.decompress(body) == BODY


def test_what_does_not_belong_to_the_encoding_is_as_streamlit_sends_it(get):
    _, plain, body = get(SCRIPT)
    _, compressed, _ = get(SCRIPT, **GZIP)
    assert body == BODY
    assert "content-encoding" not in plain
    for name in ("content-type", "cache-control", "last-modified"):
        assert compressed[name] == plain[name]
    assert "immutable" in compressed["cache-control"]
    assert compressed["etag"] != plain["etag"]
    assert plain["vary"] == compressed["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    "accepted", ["identity", "br", "gzip;q=0", "gzip; q=0.0, br", "notgzip", "gzip;q=x"]
)
def test_who_does_not_take_gzip_gets_none(get, accepted):
    status, headers, body = get(SCRIPT, Accept_Encoding=accepted)
    assert status == 200
    assert "content-encoding" not in headers
    assert body == BODY


@pytest.mark.parametrize("accepted", ["gzip", "br;q=1.0, GZIP;q=0.2", "deflate,gzip ; q=1"])
def test_who_takes_gzip_among_others_gets_it(get, accepted):
    assert get(SCRIPT, Accept_Encoding=accepted)[1]["content-encoding"] == "gzip"


def test_a_head_request_gets_the_same_headers_and_no_body(get):
    _, headers, _ = get(SCRIPT, **GZIP)
    status, alone, body = get(SCRIPT, "HEAD", **GZIP)
    assert status == 200
    assert body == b""
    assert alone | {"date": ""} == headers | {"date": ""}


def test_a_client_that_has_it_is_told_so_and_one_that_has_the_other_encoding_is_not(get):
    tags = {
        name: get(SCRIPT, **more)[1]["etag"] for name, more in {"plain": {}, "gzip": GZIP}.items()
    }
    status, headers, body = get(SCRIPT, If_None_Match=f'"other", W/{tags["gzip"]}', **GZIP)
    assert (status, body) == (304, b"")
    assert headers["etag"] == tags["gzip"]
    assert "content-length" not in headers
    assert get(SCRIPT, If_None_Match=tags["plain"], **GZIP)[0] == 200
    assert get(SCRIPT, If_None_Match=tags["plain"])[0] == 304


def test_a_part_is_sent_as_it_is(get):
    status, headers, body = get(SCRIPT, Range="bytes=10-19", **GZIP)
    assert status == 206
    assert "content-encoding" not in headers
    assert body == BODY[10:20]


@pytest.mark.parametrize(
    "path", ["/", "/_stcore/health", "/static/js/none.js", "/static/../app.py"]
)
def test_everything_else_is_none_of_its_business(get, path):
    _, headers, body = get(path, **GZIP)
    assert "content-encoding" not in headers
    assert int(headers["content-length"]) == len(body)


def test_the_page_names_plotly_so_that_it_is_loaded_early(get):
    """The file that is by far the largest is needed for every chart."""
    _, headers, _ = get("/", **GZIP)
    assert headers["link"] == f"<{SCRIPT}>; rel=modulepreload"


def test_another_method_is_refused_as_before(get):
    assert get(SCRIPT, "POST", **GZIP)[0] == 405


async def _first_run(port: int) -> int:
    async with viewer(port) as tab:
        return (await tab.step("page=scores&lang=en")).count("plotly_chart")


def test_the_websocket_is_left_alone(server):
    assert asyncio.run(_first_run(server.port)) == 3


def test_every_script_of_streamlit_is_compressed_in_seven_megabytes(get):
    files = [file for file in (STATIC / "static").rglob("*") if file.suffix in (".js", ".css")]
    sizes = []
    for file in files:
        status, headers, body = get("/" + file.relative_to(STATIC).as_posix(), **GZIP)
        assert (status, headers["content-encoding"]) == (200, "gzip")
        assert gzip.decompress(body) == file.read_bytes()
        sizes.append(len(body))
    assert len(files) > 300
    assert sum(sizes) < 7e6
