"""Servers that a test starts, loses and starts again; and Debian's nginx before two of them."""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench.client import await_health, free_port

ROOT = Path(__file__).parents[2]
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
    """Start the app, what it says into `log`; it is there when it answers."""
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
    command += ["--server.port", str(port), "--server.address", "127.0.0.1"]
    with log.open("a") as out:
        process = subprocess.Popen(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT)
    try:
        await_health(process, port)
    except RuntimeError as error:
        error.add_note(log.read_text())
        raise
    return process


@contextlib.contextmanager
def balance(ports: tuple[int, int], folder: Path) -> Iterator[int]:
    """Run nginx with docs/nginx.conf, its ports replaced, before two servers; gives its port."""
    port, text = free_port(), (ROOT / "docs" / "nginx.conf").read_text()
    places = {"listen 80;": f"listen 127.0.0.1:{port};"}
    for mine, theirs in zip((8500, 8501), ports, strict=True):
        places[f"127.0.0.1:{mine} "] = f"127.0.0.1:{theirs} "
    for written, here in places.items():
        assert text.count(written) == 1
        text = text.replace(written, here)
    (folder / "attention.conf").write_text(text)
    (folder / "nginx.conf").write_text(AROUND.format(folder=folder))
    command = ["nginx", "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "log"]
    process = subprocess.Popen(command)
    try:
        await_health(process, port)
        yield port
    finally:
        process.terminate()
        process.wait(30)
