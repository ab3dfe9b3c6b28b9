"""A spec that is run here: a `plumb` for each request at a time, kept warm where a request leaves nothing behind for the next one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, Callable, Iterable, Iterator, Mapping, Optional, Sequence

from ._connection import Connection
from ._fault import PlumbError, fault_of
from ._process import Process, line_of


def program(given: Optional[str] = None) -> str:
    """The one that is named, the one that came with this package, or that on PATH."""
    if given is not None:
        return given
    own = Path(__file__).parent / "bin" / "plumb"
    found = str(own) if own.exists() else shutil.which("plumb")
    if found is None:
        raise PlumbError("cannot_run", "config", "plumb is not on PATH: install it, or name it with plumb=")
    return found


def faults_in(stderr: str, otherwise: str) -> PlumbError:
    """The first diagnostic or error of these lines."""
    for line in stderr.strip().split("\n"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict) and ("error" in value or "code" in value):
            more = {k: v for k, v in value.items() if k not in ("code", "message")}
            return fault_of({"error": value.get("code"), "category": "config", "detail": value.get("message"), **more})
    return PlumbError("spec_invalid", "config", stderr.strip() or otherwise)


class Pool:
    """The processes of a connection, and of its conversations."""

    def __init__(
        self, spec: str, plumb: Optional[str], args: Sequence[str], cwd: Optional[str], env: Optional[Mapping[str, str]], concurrency: int
    ) -> None:
        self._plumb = program(plumb)
        self._spec, self._args, self._cwd = spec, list(args), cwd
        self._env = {**(os.environ if env is None else env), "PLUMB_ERRORS": "json"}
        self._idle: dict[tuple[str, bool, Optional[str]], list[Process]] = {}
        self._all: set[Process] = set()
        self._turns: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()
        self._room = threading.Semaphore(concurrency)
        self._is_closed = False
        self.bindings = self._ask()

    def _ask(self) -> dict[str, dict[str, Any]]:
        try:
            words = [self._plumb, "types", "--to", "json-schema", self._spec]
            ran = subprocess.run(words, cwd=self._cwd, env=self._env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise PlumbError("cannot_run", "config", f"cannot start '{self._plumb}': {error.strerror}") from None
        if ran.returncode != 0:
            raise faults_in(ran.stderr, f"plumb types ended with status {ran.returncode}")
        found: dict[str, dict[str, Any]] = json.loads(ran.stdout)["x-plumb-bindings"]
        return found

    def binding(self, name: str) -> dict[str, Any]:
        if self._is_closed:
            raise PlumbError("cancelled", "unavailable", "this connection is closed")
        if name not in self.bindings:
            known = ", ".join(self.bindings)
            raise PlumbError("unknown_name", "not_found", f"no process is named '{name}'" + (f"; there are {known}" if known else ""))
        return self.bindings[name]

    def take(self, name: str, conversation: Optional[str], is_told: bool) -> tuple[Process, Callable[[bool, bool], None]]:
        """A process for one request; what is returned with it gives it back, and says whether another may have it."""
        keeps = self.binding(name)["keeps"]
        turn: Optional[threading.Lock] = None
        if conversation is not None:
            with self._lock:
                turn = self._turns.setdefault(conversation, threading.Lock())
            turn.acquire()
        self._room.acquire()
        is_fresh = keeps and conversation is None
        key = (name, is_told, conversation)
        try:
            self.binding(name)
            with self._lock:
                idle = self._idle.setdefault(key, [])
                taken = next((one for one in iter(lambda: idle.pop() if idle else None, None) if not one.has_ended), None)
            taken = taken or self._start(name, is_told)
            # The next one is started before it is asked for.
            if is_fresh and not idle:
                idle.append(self._start(name, is_told))
        except BaseException:
            self._room.release()
            if turn:
                turn.release()
            raise

        def free(is_whole: bool, is_spent: bool) -> None:
            if is_whole and not is_spent and not is_fresh and not self._is_closed and not taken.has_ended:
                with self._lock:
                    idle.append(taken)
            else:
                self._all.discard(taken)
                threading.Thread(target=taken.close, daemon=True).start() if is_whole else taken.close()
            self._room.release()
            if turn:
                turn.release()

        return taken, free

    def close(self) -> None:
        self._is_closed = True
        for process in list(self._all):
            process.end_input()
        for process in list(self._all):
            process.close()
        self._all.clear()

    def _start(self, name: str, is_told: bool) -> Process:
        words = [self._plumb, "run", "--numbered", "--no-envelopes", "--no-progress"] + (["--telemetry"] if is_told else [])
        started = Process([*words, *self._args, "--binding", name, self._spec], self._cwd, self._env)
        self._all.add(started)
        # Closed meanwhile, by another thread.
        if self._is_closed:
            started.kill()
        return started


class Cancel:
    """Ends a request from another thread, whether or not it has begun."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._end: Optional[Callable[[], None]] = None
        self._is_cancelled = False

    def calls(self, end: Callable[[], None]) -> None:
        with self._lock:
            self._end = end
            is_late = self._is_cancelled
        if is_late:
            end()

    def cancel(self) -> None:
        with self._lock:
            self._is_cancelled = True
            end = self._end
        if end:
            end()


class SpecConnection(Connection):
    def __init__(self, pool: Pool, conversation: Optional[str] = None) -> None:
        self._pool = pool
        self._conversation = conversation

    def call(self, name: str, input: Any, *, timeout: Optional[float] = None, cancel: Optional[Cancel] = None) -> Any:
        is_one = self._pool.binding(name)["answers"] == "one"
        values: list[Any] = []
        failed: Optional[PlumbError] = None
        for item in self._request(name, [input], (), is_one, timeout, cancel):
            if "error" in item:
                failed = failed or fault_of(item["error"])
            else:
                values.append(item["value"])
        if failed:
            raise failed
        if not is_one:
            return values
        if len(values) != 1:
            raise PlumbError("child_failed", "internal", f"'{name}' gave {len(values)} outputs for one input")
        return values[0]

    def stream(self, name: str, inputs: Iterable[Any], *, events: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        self._pool.binding(name)
        return self._request(name, inputs, events, False, None, None)

    def conversation(self, id: str) -> "SpecConnection":
        return SpecConnection(self._pool, id)

    def close(self) -> None:
        self._pool.close()

    def _request(
        self,
        name: str,
        inputs: Iterable[Any],
        events: Sequence[str],
        is_kept: bool,
        timeout: Optional[float],
        cancel: Optional[Cancel],
    ) -> Iterator[dict[str, Any]]:
        """`is_kept`: it ends when all inputs are answered; else with the process, so that what is gathered comes."""
        lines = [line_of(one) for one in inputs] if isinstance(inputs, (list, tuple)) else None
        is_lasting = is_kept or self._conversation is not None
        process, free = self._pool.take(name, self._conversation, len(events) > 0)
        before, is_whole, is_late, is_spent = process.sent, False, threading.Event(), False

        def end() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(timeout, end) if timeout is not None else None
        if timer:
            timer.daemon = True
            timer.start()
        if cancel is not None:
            cancel.calls(process.kill)
        feeder = Feeder(process, inputs if lines is None else lines, lines is not None, is_lasting)
        try:
            for item in self._items(name, process, before, events, feeder, is_lasting):
                # A process that is ended says of each input that it was cancelled.
                if is_late.is_set():
                    break
                is_spent = is_spent or _has_lost(item)
                yield item
            is_whole = not is_late.is_set()
        except PlumbError:
            if not is_late.is_set():
                raise
        finally:
            if timer:
                timer.cancel()
            if not is_whole:
                process.kill()
            free(is_whole, is_spent)
            if is_whole and not is_lasting:
                feeder.join()
        if not is_whole:
            raise PlumbError("timeout", "unavailable", f"'{name}' gave no answer within {timeout} s")

    def _items(
        self, name: str, process: Process, before: int, events: Sequence[str], feeder: "Feeder", is_lasting: bool
    ) -> Iterator[dict[str, Any]]:
        done, is_told = 0, False
        if is_lasting and feeder.is_done_with(done):
            return
        for line in process.lines():
            seq = line["seq"] - before if isinstance(line.get("seq"), int) else 0
            if "value" in line:
                is_told = True
                yield {"seq": seq, "value": line["value"]}
            elif "error" in line:
                is_told = True
                fields = fault_of(line["error"]).fields
                fields.pop("line", None)
                yield {"seq": seq, "error": {**fields, "seq": seq}}
            elif "telemetry" in line and line["telemetry"].get("kind") in events:
                yield {"seq": line["telemetry"].get("seq", 0), "event": line["telemetry"]}
            if line.get("done") is True:
                done += 1
                if is_lasting and feeder.is_done_with(done):
                    return
        failure = process.failure()
        if feeder.error:
            raise feeder.error
        # Status 1 is of what was told.
        if failure and (is_lasting or not is_told or failure.category == "config"):
            raise failure
        if is_lasting:
            raise PlumbError("child_failed", "internal", f"plumb ended before '{name}' had answered")


def _has_lost(item: dict[str, Any]) -> bool:
    """A child of it has ended, so that it ends itself: it takes no other request."""
    error = item.get("error", {})
    return error.get("error") == "child_failed" and "process" in error


class Feeder:
    """Sends the inputs: at once where all are there, else from a thread as they come."""

    def __init__(self, process: Process, inputs: Iterable[Any], is_ready: bool, is_lasting: bool) -> None:
        self._process, self._inputs = process, inputs
        self._is_ready, self._is_lasting = is_ready, is_lasting
        self.sent = 0
        self.error: Optional[BaseException] = None
        self._is_sent = False
        self._thread: Optional[threading.Thread] = None
        lines = inputs if is_ready else None
        if isinstance(lines, list) and sum(map(len, lines)) < 32768:
            self._feed()
        else:
            self._thread = threading.Thread(target=self._feed, daemon=True)
            self._thread.start()

    def is_done_with(self, done: int) -> bool:
        return self._is_sent and done >= self.sent

    def join(self) -> None:
        if self._thread:
            self._thread.join()

    def _feed(self) -> None:
        try:
            for one in self._inputs:
                self.sent += 1
                self._process.send(one if self._is_ready else line_of(one))
            self._is_sent = True
            if not self._is_lasting:
                self._process.end_input()
        except BaseException as error:
            self.error = error
            self._process.kill()
