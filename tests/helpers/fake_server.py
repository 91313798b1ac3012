"""A real HTTP server on loopback that can be busy, slow, broken or cut off, on demand."""

import contextlib
import json
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Request:
    """One request as it came in."""

    method: str
    path: str
    query: list[tuple[str, str]]
    headers: dict[str, str]
    body: bytes

    @property
    def form(self) -> dict[str, str]:
        """The fields of a form in the body."""
        return dict(parse_qsl(self.body.decode(), keep_blank_values=True))


@dataclass
class Answer:
    """What goes back; a body that is no bytes is sent as JSON."""

    body: object = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class Fault:
    """What goes wrong with a request with this method and this text in path or body; once, or ``times``.

    ``act`` tells whether the server acts on the request before it answers with the fault: ``answer``, a
    connection ``cut`` without any answer, or an answer that comes ``seconds`` late.
    """

    method: str
    path: str
    answer: Answer | None = None
    cut: bool = False
    seconds: float = 0.0
    act: bool = False
    times: int = 1


BUSY = Answer({"errors": "slow down"}, 429)
BUSY_SECONDS = Answer({"errors": "slow down"}, 429, {"Retry-After": "0"})
THROTTLED = Answer(b"403 Forbidden (Rate Limit Exceeded)", 403)
DOWN = Answer(b"<html>Bad gateway</html>", 502, {"Content-Type": "text/html"})
PAGE = Answer(b"<!doctype html><title>Log in</title>", 200, {"Content-Type": "text/html; charset=utf-8"})


class FakeServer:
    """Answers with ``handle``; keeps every request in ``requests``; goes wrong as ``faults`` say."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.faults: list[Fault] = []
        self._lock = threading.Lock()

    def handle(self, request: Request) -> Answer:
        """Act on a request; written by each platform."""
        raise NotImplementedError

    def __enter__(self):
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet: otherwise each answer waits 40 ms
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                self.answer()

            def do_POST(self) -> None:
                self.answer()

            def do_PUT(self) -> None:
                self.answer()

            def answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                parts = urlsplit(self.path)
                request = Request(
                    self.command,
                    parts.path,
                    parse_qsl(parts.query, keep_blank_values=True),
                    {name.lower(): value for name, value in self.headers.items()},
                    self.rfile.read(length),
                )
                with contextlib.suppress(ConnectionError):
                    fake.serve(self, request)

            def log_message(self, *arguments: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def serve(self, handler: BaseHTTPRequestHandler, request: Request) -> None:
        """Answer one request, or go wrong."""
        with self._lock:
            self.requests.append(request)
            fault = next((f for f in self.faults if f.times > 0 and self._fits(f, request)), None)
            if fault:
                fault.times -= 1
            acted = self.handle(request) if fault is None or fault.act else Answer()
        if fault and fault.seconds:
            time.sleep(fault.seconds)
        if fault and fault.cut:
            handler.close_connection = True
            handler.connection.shutdown(socket.SHUT_RDWR)
            return
        self._send(handler, fault.answer if fault and fault.answer else acted)

    @staticmethod
    def _fits(fault: Fault, request: Request) -> bool:
        text = f"{request.path} {request.body.decode(errors='replace')}"
        return fault.method == request.method and fault.path in text

    @staticmethod
    def _send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        raw = isinstance(answer.body, bytes)
        data = answer.body if raw else json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        kinds = {"Content-Type": "text/plain" if raw else "application/json; charset=utf-8"}
        for name, value in {**kinds, **answer.headers, "Content-Length": str(len(data))}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)

    def count(self, method: str, path: str) -> int:
        """Count the requests with that method and with that text in path or body."""
        return sum(self._fits(Fault(method, path), request) for request in self.requests)
