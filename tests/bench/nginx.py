"""Debian's nginx before several servers, on loopback, with everything it writes in one folder."""

import contextlib
import shutil
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator

from tests.bench.client import free_port

START = 10  # seconds nginx may take to start
# A reader stays with one process: their session, and the files they may load, live there.
CONFIG = """
worker_processes 1;
daemon off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    map $cookie_reader $reader {{ "" $request_id; default $cookie_reader; }}
    map $http_upgrade $connection_upgrade {{ "" close; default upgrade; }}
    upstream explorer {{
        hash $reader consistent;
{servers}
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://explorer;
            proxy_http_version 1.1;
            proxy_set_header Host $http_host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
            proxy_read_timeout 1h;
            add_header Set-Cookie "reader=$reader; Path=/; HttpOnly; SameSite=Lax";
        }}
    }}
}}
"""


def missing_nginx() -> str:
    """Why nginx cannot be used here; nothing where it can."""
    return "" if shutil.which("nginx") else "nginx is not installed (apt-get install nginx)"


@contextlib.contextmanager
def balance(ports: list[int]) -> Iterator[int]:
    """Run nginx before the servers on these ports; gives its own."""
    port = free_port()
    servers = "\n".join(f"        server 127.0.0.1:{each};" for each in ports)
    with tempfile.TemporaryDirectory() as folder:
        config = f"{folder}/nginx.conf"
        with open(config, "w") as file:
            file.write(CONFIG.format(folder=folder, servers=servers, port=port))
        process = subprocess.Popen(["nginx", "-c", config, "-p", folder, "-e", f"{folder}/start"])
        try:
            _await_answer(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def _await_answer(port: int) -> None:
    deadline = time.monotonic() + START
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            return urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health").close()
        time.sleep(0.05)
    raise RuntimeError(f"nginx does not answer after {START} s")
