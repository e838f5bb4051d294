"""What the app is served with: a server really started, and asked for what it must not do."""

import asyncio
import http.client
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.bench.client import Server, serve

ROOT = Path(__file__).parents[1]
ADDRESS = "localhost"
XSRF = "_streamlit_xsrf"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STREAMLIT_SERVER_ALLOWED_HOSTS", f"{ADDRESS} *.example.org")
        with serve("app.py") as server:
            yield server


def request(server: Server, method: str, path: str, body: bytes = b"", **headers: str):
    connection = http.client.HTTPConnection(ADDRESS, server.port, timeout=30)
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, body, names)
    answer = connection.getresponse()
    answer.read()
    return answer


def session(server: Server, host: str = ADDRESS, meanwhile=lambda message: message, **headers: str):
    """Open a session under a host's name; what is made `meanwhile` of its first message."""

    async def first():
        async with connect(
            f"ws://{host}:{server.port}/_stcore/stream",
            host=ADDRESS,
            port=server.port,
            subprotocols=["streamlit"],
            additional_headers=headers,
        ) as socket:
            message = BackMsg()
            message.rerun_script.query_string = ""
            await socket.send(message.SerializeToString())
            async for frame in socket:
                found = ForwardMsg.FromString(frame)
                if found.WhichOneof("type") == "new_session":
                    return meanwhile(found.new_session)
        raise RuntimeError("no session")

    with ThreadPoolExecutor(1) as pool:  # a thread of its own: browser tests have a loop in theirs
        return pool.submit(asyncio.run, asyncio.wait_for(first(), 60)).result()


def upload(server: Server, session_id: str, with_token: bool) -> int:
    """Try to leave a file of one byte there; the status of the answer."""
    form = (
        b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n'
        b"Content-Type: text/plain\r\n\r\nx\r\n--x--\r\n"
    )
    headers = {"Content_Type": "multipart/form-data; boundary=x"}
    if with_token:
        cookies = request(server, "GET", "/_stcore/health").headers.get_all("Set-Cookie") or []
        (token,) = (found[1] for each in cookies if (found := re.match(f"{XSRF}=([^;]+)", each)))
        headers |= {"X_Xsrftoken": token, "Cookie": f"{XSRF}={token}"}
    return request(server, "PUT", f"/_stcore/upload_file/{session_id}/f", form, **headers).status


def test_without_a_token_nothing_is_taken_and_with_one_no_file_is(server):
    def answers(new_session) -> list[int]:
        mine = new_session.initialize.session_id
        return [upload(server, *each) for each in ((mine, False), ("nobody", True), (mine, True))]

    assert session(server, meanwhile=answers) == [403, 400, 413]


def test_the_browser_is_told_to_send_no_statistics(server):
    assert not session(server).config.gather_usage_stats


def test_a_page_of_another_site_cannot_open_a_session(server):
    with pytest.raises(InvalidStatus, match="403"):
        session(server, Origin="https://evil.example.com")


@pytest.mark.parametrize("host", ["evil.example.com", "127.0.0.1", "example.org"])
def test_a_name_that_is_not_allowed_opens_no_session(server, host):
    with pytest.raises(InvalidStatus, match="403"):
        session(server, host)


def test_an_allowed_name_opens_one(server):
    assert session(server, "class.example.org")


def test_the_health_endpoint_says_ok(server):
    assert request(server, "GET", "/_stcore/health").status == 200


def test_every_default_is_stated_in_the_configuration():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    stated = {
        "server": {"enableXsrfProtection": True, "enableCORS": True, "maxUploadSize": 0},
        "browser": {"gatherUsageStats": False},
        "client": {"showErrorDetails": "none", "toolbarMode": "viewer"},
    }
    for section, options in stated.items():
        assert config[section] | options == config[section], json.dumps(config[section])
    readme = (ROOT / "README.md").read_text()
    told = (
        "XSRF",
        "Error details",
        "usage statistics",
        "uploads",
        "STREAMLIT_SERVER_ALLOWED_HOSTS",
    )
    assert all(words in readme for words in told)


PRODUCT_IN_A_THREAD = """
import threading, app, psutil, torch
seen = []
def product():
    torch.ones(256, 256) @ torch.ones(256, 256)
    seen.append(psutil.Process().num_threads())
before = psutil.Process().num_threads()
thread = threading.Thread(target=product)
thread.start()
thread.join()
print(seen[0] - before)
"""


def test_a_product_starts_no_thread_beside_that_of_its_viewer():
    """torch would start one for every core, and they wait at full speed for more to do."""
    bare = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    said = subprocess.run(
        [sys.executable, "-c", PRODUCT_IN_A_THREAD],
        cwd=ROOT,
        env=bare,
        capture_output=True,
        check=True,
        text=True,
    )
    assert said.stdout.splitlines()[-1] == "1"
