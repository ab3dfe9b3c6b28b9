"""The processes that a plumb-serve serves."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.parse
from typing import Any, Iterable, Iterator, Optional, Sequence

from ._connection import Connection
from ._fault import PlumbError, fault_of
from ._process import line_of
from ._spec import Cancel

NDJSON = "application/x-ndjson"


class Server:
    def __init__(self, url: str, token: Optional[str]) -> None:
        self._parts = urllib.parse.urlsplit(url.rstrip("/"))
        self._token = token
        self._idle: list[http.client.HTTPConnection] = []
        self._busy: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()
        self.is_closed = False
        self.routes: dict[str, tuple[str, bool]] = {}
        for path, item in self.ask("GET", "/openapi.json")["paths"].items():
            post = item.get("post", {})
            if NDJSON in post.get("requestBody", {}).get("content", {}):
                self.routes[post["operationId"]] = (path, _is_many(post))

    def open(self) -> http.client.HTTPConnection:
        if self.is_closed:
            raise closed()
        https = self._parts.scheme == "https"
        make = http.client.HTTPSConnection if https else http.client.HTTPConnection
        with self._lock:
            connection = self._idle.pop() if self._idle else make(self._parts.hostname or "", self._parts.port)
            self._busy.add(connection)
        return connection

    def drop(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._busy.discard(connection)
        connection.close()

    def keep(self, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._busy.discard(connection)
            if not self.is_closed:
                self._idle.append(connection)
                return
        connection.close()

    def path(self, path: str) -> str:
        return self._parts.path + path

    def headers(self, more: dict[str, str]) -> dict[str, str]:
        return {**more, **({"Authorization": f"Bearer {self._token}"} if self._token is not None else {})}

    def unreachable(self, error: Exception) -> PlumbError:
        if self.is_closed:
            return closed()
        return PlumbError("connection_failed", "unavailable", f"cannot reach '{self._parts.geturl()}': {error}")

    def ask(
        self,
        method: str,
        path: str,
        body: Optional[bytes] = None,
        headers: Optional[dict[str, str]] = None,
        timeout: Optional[float] = None,
        cancel: Optional[Cancel] = None,
    ) -> Any:
        given = self.headers({"Accept": "application/json", **({"Content-Type": "application/json"} if body is not None else {}), **(headers or {})})
        for attempt in (1, 2):
            connection = self.open()
            was_used = connection.sock is not None
            connection.timeout = timeout
            if connection.sock:
                connection.sock.settimeout(timeout)
            if cancel is not None:
                cancel.calls(lambda: _cut(connection))
            try:
                connection.request(method, self.path(path), body, given)
                response = connection.getresponse()
                text = response.read()
            except TimeoutError:
                self.drop(connection)
                raise PlumbError("timeout", "unavailable", f"no answer within {timeout} s") from None
            except (OSError, http.client.HTTPException) as error:
                self.drop(connection)
                # The server has closed one that was idle.
                if was_used and attempt == 1 and isinstance(error, (http.client.RemoteDisconnected, ConnectionError)) and not self.is_closed:
                    continue
                raise self.unreachable(error) from None
            if response.status >= 300:
                self.keep(connection)
                raise problem_of(response.status, text)
            self.keep(connection)
            return json.loads(text)

    def close(self) -> None:
        with self._lock:
            self.is_closed = True
            idle, self._idle = self._idle, []
            busy = list(self._busy)
        for connection in idle:
            connection.close()
        # Whoever waits for an answer is told.
        for connection in busy:
            _cut(connection)


def closed() -> PlumbError:
    return PlumbError("cancelled", "unavailable", "this connection is closed")


def problem_of(status: int, text: bytes) -> PlumbError:
    try:
        fields = json.loads(text)
        return fault_of({k: v for k, v in fields.items() if k not in ("type", "title", "status")})
    except (ValueError, AttributeError):
        return PlumbError("bad_reply", "unavailable", f"the server answers with status {status}")


# A record of a spec says whether it has other fields; the list of outputs is none.
def _is_many(post: dict[str, Any]) -> bool:
    schema = post.get("responses", {}).get("200", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return "additionalProperties" not in schema and list(schema.get("properties", {})) == ["outputs"]


def _cut(connection: http.client.HTTPConnection) -> None:
    sock = connection.sock
    if sock:
        try:
            sock.shutdown(2)
        except OSError:
            pass


class Question:
    """A question for a person. Its fields are those of the server: `prompt`, `input`, `schema` …"""

    def __init__(self, server: Server, fields: dict[str, Any]) -> None:
        self._server = server
        self.fields = fields

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def answer(self, value: Any) -> None:
        self._settle({"answer": value})

    def skip(self, why: str = "skipped") -> None:
        self._settle({"skip": why})

    def edit(self, input: Any) -> None:
        """Of an approval: it is asked about again, with this input of the call."""
        self._settle({"edit": input})

    def _settle(self, body: dict[str, Any]) -> None:
        self._server.ask("POST", "/pending/" + urllib.parse.quote(self.fields["id"], safe=""), line_of(body))


class HttpConnection(Connection):
    def __init__(self, server: Server, conversation: Optional[str] = None) -> None:
        self._server = server
        self._conversation = conversation

    def call(self, name: str, input: Any, *, timeout: Optional[float] = None, cancel: Optional[Cancel] = None) -> Any:
        path, is_many = self._route(name)
        value = self._server.ask("POST", path, line_of(input), self._headers(), timeout, cancel)
        return value["outputs"] if is_many else value

    def stream(self, name: str, inputs: Iterable[Any], *, events: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        path, _ = self._route(name)
        return self._items(path, inputs, events)

    def conversation(self, id: str) -> "HttpConnection":
        return HttpConnection(self._server, id)

    def pending(self) -> list[Any]:
        told = self._server.ask("GET", "/pending")
        return [Question(self._server, one) for one in (told if isinstance(told, list) else told["pending"])]

    def close(self) -> None:
        self._server.close()

    def _route(self, name: str) -> tuple[str, bool]:
        if self._server.is_closed:
            raise closed()
        if name not in self._server.routes:
            known = ", ".join(self._server.routes)
            raise PlumbError("unknown_name", "not_found", f"no process is named '{name}'" + (f"; there are {known}" if known else ""))
        return self._server.routes[name]

    def _headers(self) -> dict[str, str]:
        return {} if self._conversation is None else {"Plumb-Conversation": self._conversation}

    def _items(self, path: str, inputs: Iterable[Any], events: Sequence[str]) -> Iterator[dict[str, Any]]:
        query = "?events=" + urllib.parse.quote(",".join(events)) if events else ""
        accept = "text/event-stream" if events else NDJSON
        connection = self._server.open()
        sent: list[BaseException] = []
        is_whole = False
        try:
            connection.putrequest("POST", self._server.path(path + query))
            named = {"Content-Type": NDJSON, "Accept": accept, "Transfer-Encoding": "chunked", **self._headers()}
            for name, value in self._server.headers(named).items():
                connection.putheader(name, value)
            connection.endheaders()
            feeder = threading.Thread(target=_feed, args=(connection, inputs, sent), daemon=True)
            feeder.start()
            response = connection.getresponse()
            if response.status >= 300:
                raise problem_of(response.status, response.read())
            yield from _events(response) if events else (_item(line) for line in response if line.strip())
            feeder.join()
            is_whole = not sent
            if sent:
                raise sent[0]
        except (OSError, http.client.HTTPException) as error:
            raise (sent[0] if sent else self._server.unreachable(error)) from None
        finally:
            if is_whole:
                self._server.keep(connection)
            else:
                _cut(connection)
                self._server.drop(connection)


def _feed(connection: http.client.HTTPConnection, inputs: Iterable[Any], sent: list[BaseException]) -> None:
    try:
        for one in inputs:
            line = line_of(one)
            connection.send(b"%x\r\n%s\r\n" % (len(line), line))
        connection.send(b"0\r\n\r\n")
    except OSError:
        # The answer tells why.
        pass
    except BaseException as error:
        sent.append(error)
        _cut(connection)


def _item(text: bytes) -> dict[str, Any]:
    line = json.loads(text)
    seq = line.get("seq") or 0
    return {"seq": seq, "error": {**fault_of(line["error"]).fields, "seq": seq}} if "error" in line else {"seq": seq, "value": line["value"]}


def _events(lines: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    event, data = "", b""
    for raw in lines:
        line = raw.rstrip(b"\r\n")
        if line.startswith(b"event:"):
            event = line[6:].strip().decode()
        elif line.startswith(b"data:"):
            data += line[5:].strip()
        elif not line:
            if event in ("output", "error"):
                yield _item(data)
            elif event not in ("", "done") and data:
                told = json.loads(data)
                yield {"seq": told.get("seq") or 0, "event": {"kind": event, **told}}
            event, data = "", b""

