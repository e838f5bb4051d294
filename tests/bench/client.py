"""A Streamlit server in a process of its own, and viewers that speak to it as a browser does."""

import asyncio
import contextlib
import ctypes
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

ROOT = Path(__file__).parents[2]
START = 90  # seconds a server may take to start, on a busy machine
STEP = 60  # seconds a step may take


@dataclass(frozen=True)
class Server:
    """A running server: where it listens, its process, and the clock of its CPU time."""

    port: int
    pid: int
    clock: int

    def cpu_ms(self) -> float:
        """The CPU time of all its threads so far, ended ones too, user and system."""
        return time.clock_gettime_ns(self.clock) / 1e6

    def memory_mb(self) -> float:
        """The memory it holds (resident set)."""
        return psutil.Process(self.pid).memory_info().rss / 1e6


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


@contextlib.contextmanager
def serve(script: str, configured: bool = True, core: int | None = None) -> Iterator[Server]:
    """Run a script, with the repository's .streamlit/config.toml or with Streamlit's defaults.

    With a `core` it keeps to that one, by taskset of Linux.
    """
    port = free_port()
    command = [] if core is None else ["taskset", "-c", str(core)]
    command += [sys.executable, "-m", "streamlit", "run", str(ROOT / script)]
    command += ["--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port)]
    folder = ROOT if configured else ROOT / "docs"  # config.toml is read from where it is started
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
    try:
        await_health(process, port)
        yield Server(port, process.pid, _cpu_clock(process.pid))
    finally:
        process.terminate()
        process.wait()


def await_health(process: subprocess.Popen, port: int) -> None:
    """Wait until what was started answers on its port; raises RuntimeError where it does not."""
    deadline = time.monotonic() + START
    while process.poll() is None and time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            address = f"http://127.0.0.1:{port}/_stcore/health"
            return urllib.request.urlopen(address, timeout=5).close()
        time.sleep(0.05)
    code = process.poll()
    process.kill()
    raise RuntimeError(f"no server after {START} s, or it ended: exit code {code}")


def _cpu_clock(pid: int) -> int:
    """The CPU clock of another process: nanoseconds, where psutil reads ticks of 10 ms."""
    clock = ctypes.c_int()
    if error := ctypes.CDLL(None).clock_getcpuclockid(pid, ctypes.byref(clock)):
        raise OSError(error, f"no CPU clock of process {pid}")
    return clock.value


@dataclass
class Run:
    """What a viewer was sent for one step: the elements, and the bytes of all messages."""

    elements: list[Element] = field(default_factory=list)
    size: int = 0

    def count(self, kind: str) -> int:
        """How many elements of a kind (a field of Element, as `plotly_chart`) there are."""
        return sum(element.WhichOneof("type") == kind for element in self.elements)

    def says(self, words: str) -> bool:
        """Whether a heading or a paragraph says these words."""
        return any(words in text.heading.body + text.markdown.body for text in self.elements)

    def has_token(self, token: str) -> bool:
        """Whether it is a token of the sentence: the first of a list, or a label of a chart."""
        return any(
            f"0 · {token}" in it.selectbox.options or f'"{token}"' in it.plotly_chart.spec
            for it in self.elements
        )


class Viewer:
    """One browser tab. It claims no cached messages, so that every step comes in full."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def step(self, query: str) -> Run:
        """Go to a URL as Back and Forward do, and await the end of the script's run."""
        request = BackMsg()
        request.rerun_script.query_string = query
        request.rerun_script.is_history_navigation = True
        request.rerun_script.context_info.locale = "en"
        request.rerun_script.context_info.color_scheme = "light"
        async with asyncio.timeout(STEP):
            await self._socket.send(request.SerializeToString())
            return await self._run()

    async def _run(self) -> Run:
        run = Run()
        async for frame in self._socket:
            run.size += len(frame)
            message = ForwardMsg.FromString(frame)
            kind = message.WhichOneof("type")
            if kind == "delta" and message.delta.HasField("new_element"):
                run.elements.append(message.delta.new_element)
            if kind == "script_finished":
                if message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                    return run
                if message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    raise RuntimeError(f"the script did not finish: {message}")
        raise RuntimeError("the server closed the connection")


@contextlib.asynccontextmanager
async def viewer(port: int, name: str = "") -> AsyncIterator[Viewer]:
    """Connect a viewer, as Streamlit's page does once it is loaded; a balancer goes by its name."""
    url, cookie = f"ws://127.0.0.1:{port}/_stcore/stream", {"Cookie": f"reader={name}"}
    async with connect(
        url, subprotocols=["streamlit"], max_size=None, additional_headers=cookie
    ) as socket:
        yield Viewer(socket)
