"""A gateway as it is built, and a back end that answers as it is told."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[3]
GATEWAY = pathlib.Path(os.environ.get("TOOLGATE", ROOT / ".bin" / "toolgate"))

CATALOG = """
upstreams:
  shop: {{url: "{backend}"}}
tools:
  - name: list_invoices
    description: Lists invoices.
    upstream: shop
    http: {{method: GET, url: /invoices}}
    input_schema:
      type: object
      properties:
        start_date: {{type: string, format: date}}
        status: {{type: string, enum: [open, paid]}}
      additionalProperties: false
    policy: {{max_wait: 0s}}
  - name: get_balance
    description: Shows a balance.
    upstream: shop
    http: {{method: GET, url: "/balances/{{account_id}}"}}
    input_schema:
      type: object
      properties: {{account_id: {{type: string}}}}
      required: [account_id]
"""


@dataclass
class Backend:
    """Answers by path; a path without answers hangs until the caller leaves."""

    url: str = ""
    answers: dict[str, list[tuple[int, dict[str, str], str]]] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    arrived: threading.Event = field(default_factory=threading.Event)
    left: threading.Event = field(default_factory=threading.Event)

    def answer(self, path: str, body: object = None, status: int = 200, **headers: str) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.answers.setdefault(path, []).append(
            (status, {k.replace("_", "-"): v for k, v in headers.items()}, text)
        )


@pytest.fixture
def backend() -> Iterator[Backend]:
    backend = Backend()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = self.path.partition("?")[0]
            backend.requests.append(self.path)
            backend.arrived.set()
            answers = backend.answers.get(path)
            if not answers:
                self.connection.recv(1)  # until the gateway closes it
                backend.left.set()
                return
            status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    backend.url = f"http://127.0.0.1:{server.server_port}"
    yield backend
    server.shutdown()
    thread.join()
    server.server_close()


@dataclass
class Gateway:
    """Where it listens, and how to end it without a word."""

    target: str
    kill: Callable[[], None]


@pytest.fixture
def target(gateway: Gateway) -> str:
    return gateway.target


@pytest.fixture
def gateway(backend: Backend, tmp_path: pathlib.Path) -> Iterator[Gateway]:
    catalog = tmp_path / "catalog.yaml"
    catalog.write_text(CATALOG.format(backend=backend.url))
    command = [str(GATEWAY), "serve", "--catalog", str(catalog)]
    command += ["--listen", "127.0.0.1:0", "--admin-listen", "", "--http-listen", ""]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as gateway:
        assert gateway.stderr is not None
        for line in gateway.stderr:
            told = json.loads(line)
            if told["msg"] == "serving":
                break
        else:
            pytest.fail("the gateway ended")
        drain = threading.Thread(target=gateway.stderr.read)
        drain.start()
        yield Gateway(told["grpc"], gateway.kill)
        gateway.kill()
        drain.join()
