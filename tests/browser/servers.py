"""Servers that a test starts, loses and starts again; and Debian's nginx before two of them."""

import contextlib
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bench.client import free_port

ROOT = Path(__file__).parents[2]
START = 90  # seconds that a server may take to answer, on a busy machine
# What nginx needs around docs/nginx.conf, so that all it writes lies in one folder.
AROUND = """
daemon off;
worker_processes 1;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 2048; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/attention.conf;
}}
"""


def launch(port: int, log: Path) -> subprocess.Popen:
    """Start the app; it is there when it answers."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "localhost"]
    with log.open("a") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
    await_answer(process, port, log)
    return process


def await_answer(process: subprocess.Popen, port: int, log: Path) -> None:
    """Wait until something that was started answers on its port."""
    deadline = time.monotonic() + START
    while time.monotonic() < deadline and process.poll() is None:
        try:
            address = f"http://localhost:{port}/_stcore/health"
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.05)
    process.kill()
    pytest.fail(f"the server does not answer:\n{log.read_text() if log.exists() else ''}")


@contextlib.contextmanager
def balance(ports: tuple[int, int], folder: Path) -> Iterator[int]:
    """Run nginx with docs/nginx.conf, its ports replaced, before two servers; gives its port."""
    port, text = free_port(), (ROOT / "docs" / "nginx.conf").read_text()
    places = {"listen 80;": f"listen 127.0.0.1:{port};"}
    for mine, theirs in zip((8501, 8502), ports, strict=True):
        places[f"127.0.0.1:{mine} "] = f"127.0.0.1:{theirs} "
    for written, here in places.items():
        assert text.count(written) == 1
        text = text.replace(written, here)
    (folder / "attention.conf").write_text(text)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
    command = [
        "nginx",
        "-p",
        str(folder),
        "-c",
        str(folder / "nginx.conf"),
        "-e",
        str(folder / "log"),
    ]
    process = subprocess.Popen(command)
    try:
        await_answer(process, port, folder / "error.log")
        yield port
    finally:
        process.terminate()
        process.wait(30)
