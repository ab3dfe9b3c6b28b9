"""One `plumb` that runs one binding: inputs as lines, and numbered lines back (plumb-wire(5)). It has one request at a time."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import threading
from typing import Any, Iterator, Mapping, Optional, Sequence

from ._fault import PlumbError, fault_of

MAX_STDERR = 64 * 1024
GRACE = 2.0
KILL_STEP = 0.1


def line_of(value: Any) -> bytes:
    """JSON on one line. Raises for what is none: NaN, bytes, sets, dates, keys that are no strings."""
    _check_keys(value)
    return json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


# json.dumps would silently write other keys as strings.
def _check_keys(value: Any) -> None:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            for key in part:
                if not isinstance(key, str):
                    raise TypeError(f"keys of a JSON object are strings, and this is {type(key).__name__}")
            waiting.extend(part.values())
        elif isinstance(part, (list, tuple)):
            waiting.extend(part)


class Process:
    def __init__(self, words: Sequence[str], cwd: Optional[str], env: Mapping[str, str]) -> None:
        try:
            self._popen = subprocess.Popen(
                words, cwd=cwd, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
            )
        except OSError as error:
            raise PlumbError("cannot_run", "config", f"cannot start '{words[0]}': {error.strerror}") from None
        _LIVE.add(self)
        self.sent = 0
        self._stderr = b""
        self._reading = threading.Thread(target=self._read_stderr, daemon=True)
        self._reading.start()

    @property
    def has_ended(self) -> bool:
        return self._popen.poll() is not None

    def send(self, line: bytes) -> None:
        assert self._popen.stdin
        self.sent += 1
        try:
            self._popen.stdin.write(line)
            self._popen.stdin.flush()
        except (BrokenPipeError, ValueError):
            # It has ended, which its output tells.
            pass

    def end_input(self) -> None:
        assert self._popen.stdin
        try:
            self._popen.stdin.close()
        except BrokenPipeError:
            pass

    def lines(self) -> Iterator[Any]:
        """Until it ends; another reader may go on where this one stopped."""
        assert self._popen.stdout
        while True:
            line = self._popen.stdout.readline()
            if not line:
                return
            yield json.loads(line)

    def failure(self) -> Optional[PlumbError]:
        """Why it has ended; None: as it should."""
        status = self._popen.wait()
        self._reading.join(GRACE)
        _LIVE.discard(self)
        if status == 0:
            return None
        said = self._stderr.decode("utf-8", "replace").strip().split("\n")
        for line in said:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict) and isinstance(value.get("error"), str):
                return fault_of(value)
        how = f"ended with status {status}" if status > 0 else f"was ended by signal {-status}"
        return PlumbError("child_failed", "internal", f"plumb {how}" + (f": {said[-1]}" if said[-1] else ""))

    def close(self) -> None:
        """It ends by itself, or is ended."""
        self.end_input()
        try:
            self._popen.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()
        self._release()

    def kill(self) -> None:
        """What is in hand is dropped. At the second signal plumb waits for nothing."""
        for wait, end in ((KILL_STEP, self._popen.terminate), (GRACE, self._popen.terminate), (GRACE, self._popen.kill)):
            if self._popen.poll() is not None:
                break
            end()
            try:
                self._popen.wait(wait)
            except subprocess.TimeoutExpired:
                pass

    def _release(self) -> None:
        _LIVE.discard(self)
        self._reading.join(GRACE)
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass

    def _read_stderr(self) -> None:
        assert self._popen.stderr
        try:
            while chunk := os.read(self._popen.stderr.fileno(), 65536):
                self._stderr = (self._stderr + chunk)[-MAX_STDERR:]
        except (OSError, ValueError):
            pass


_LIVE: set[Process] = set()


@atexit.register
def _end_all() -> None:
    for process in list(_LIVE):
        process.kill()
