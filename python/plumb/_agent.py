"""A function as an agent program: numbered answers (plumb-wire(5)) to the lines of standard input, control and telemetry."""

from __future__ import annotations

import asyncio
import fcntl
import inspect
import json
import os
import select
import sys
import threading
import traceback
from typing import Any, BinaryIO, Callable, Generic, Iterable, Iterator, Optional, TypeVar

from ._fault import PlumbError
from ._process import line_of

F = TypeVar("F", bound=Callable[..., Any])

#: What a function returns that has no output for its input.
DROP: Any = type("Drop", (), {"__repr__": lambda self: "plumb.DROP"})()

TELEMETRY, CTRL_IN, CTRL_OUT = 3, 6, 7
MAX_IN_HAND = 1000
MAX_WORDS = 400
_OWN = os.getpid()


def _is_given(fd: int) -> bool:
    # What Python opens itself is closed at exec; what the parent has opened is not.
    try:
        return not fcntl.fcntl(fd, fcntl.F_GETFD) & fcntl.FD_CLOEXEC
    except OSError:
        return False


# Asked before anything else is opened.
_GIVEN = {fd for fd in (TELEMETRY, CTRL_IN, CTRL_OUT) if _is_given(fd)}
for _fd in _GIVEN:
    os.set_inheritable(_fd, False)


class _Lines:
    """Whole lines, from any thread; once nobody reads them the program ends without a word."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._lock = threading.Lock()

    def write(self, line: bytes) -> None:
        # What a function has forked answers nothing.
        if os.getpid() != _OWN:
            os._exit(0)
        with self._lock:
            try:
                rest = memoryview(line)
                while rest:
                    rest = rest[os.write(self._fd, rest) :]
            except BrokenPipeError:
                os._exit(0)


_telemetry: Optional[_Lines] = _Lines(TELEMETRY) if TELEMETRY in _GIVEN else None


def telemetry(event: Any) -> None:
    """Writes an object to the telemetry of the agent, where there is one who reads it."""
    if _telemetry:
        _telemetry.write(line_of(event))


class Agent(Generic[F]):
    """Called as the function itself; `run()` serves it."""

    def __init__(self, function: F) -> None:
        self._function = function
        self._control: Optional[Callable[[Any], Any]] = None
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", "agent")
        self.__wrapped__ = function

    def __call__(self, *args: Any, **named: Any) -> Any:
        return self._function(*args, **named)

    def control(self, handler: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Decorates what gets control messages; what it returns is the reply."""
        self._control = handler
        return handler

    def run(self) -> None:
        """Answers each line of standard input; ends when that ends."""
        _Served(self._function, self._control).run()


def agent(function: F) -> Agent[F]:
    """Makes an agent program of a function: `@plumb.agent def triage(ticket): …`, and `triage.run()` at the end of the file."""
    return Agent(function)


class _Served:
    def __init__(self, function: Callable[..., Any], control: Optional[Callable[[Any], Any]]) -> None:
        self._function = function
        self._control = control
        self._input, self._output = _take_over()

    def run(self) -> None:
        if inspect.iscoroutinefunction(self._function) or inspect.isasyncgenfunction(self._function):
            asyncio.run(self._run_at_once())
        else:
            end_control = self._start_control(self._reply)
            for seq, line in _numbered(self._input):
                self._settle(seq, lambda: self._outputs(seq, _value_of(line)))
            end_control()
        sys.stderr.flush()

    def _outputs(self, seq: int, value: Any) -> None:
        result = self._function(value)
        if inspect.isawaitable(result):
            raise TypeError("an async function is decorated itself")
        if inspect.isgenerator(result):
            result = self._yielded(seq, result)
        elif result is not DROP:
            self._write_value(seq, result)
            return
        if result is not None and result is not DROP:
            self._write_value(seq, result)

    def _yielded(self, seq: int, items: Any) -> Any:
        while True:
            try:
                item = next(items)
            except StopIteration as end:
                return end.value
            if item is not DROP:
                self._write_value(seq, item)

    def _settle(self, seq: int, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self._fail(seq, error)
        else:
            self._write({"seq": seq, "done": True})

    async def _run_at_once(self) -> None:
        loop = asyncio.get_running_loop()
        room = asyncio.Semaphore(MAX_IN_HAND)
        running: set[asyncio.Task[None]] = set()

        # Coroutines of control run beside those of the function.
        def reply(k: int, line: bytes) -> None:
            asyncio.run_coroutine_threadsafe(self._reply_async(k, line), loop).result()

        end_control = self._start_control(reply)
        lines = _numbered(self._input)
        while (item := await loop.run_in_executor(None, next, lines, None)) is not None:
            await room.acquire()
            seq, line = item
            task = loop.create_task(self._answer(seq, line))
            running.add(task)

            def end(one: asyncio.Task[None]) -> None:
                running.discard(one)
                room.release()

            task.add_done_callback(end)
        if running:
            await asyncio.gather(*running)
        await loop.run_in_executor(None, end_control)

    async def _answer(self, seq: int, line: bytes) -> None:
        try:
            result = self._function(_value_of(line))
            if inspect.isasyncgen(result):
                async for item in result:
                    if item is not DROP:
                        self._write_value(seq, item)
            else:
                value = await result
                if value is not DROP:
                    self._write_value(seq, value)
        except BaseException as error:
            self._fail(seq, error)
        else:
            self._write({"seq": seq, "done": True})

    def _start_control(self, reply: Callable[[int, bytes], None]) -> Callable[[], None]:
        """What it returns ends it: once what has come by then is answered."""
        if not self._control or CTRL_IN not in _GIVEN:
            return lambda: None
        ended, end = os.pipe()

        def take() -> None:
            for k, line in _numbered(_arriving(CTRL_IN, ended)):
                reply(k, line)

        thread = threading.Thread(target=take, daemon=True)
        thread.start()

        def finish() -> None:
            os.close(end)
            thread.join()

        return finish

    def _reply(self, k: int, line: bytes) -> None:
        try:
            assert self._control
            self._write_reply(k, line_of(self._control(_value_of(line))))
        except BaseException as error:
            self._write_reply(k, line_of({"kind": "error", **_fault(error)}))

    async def _reply_async(self, k: int, line: bytes) -> None:
        try:
            assert self._control
            result = self._control(_value_of(line))
            self._write_reply(k, line_of(await result if inspect.isawaitable(result) else result))
        except BaseException as error:
            self._write_reply(k, line_of({"kind": "error", **_fault(error)}))

    def _write_reply(self, k: int, line: bytes) -> None:
        if CTRL_OUT in _GIVEN:
            _Lines(CTRL_OUT).write(line)
        self._write({"control": k, "done": True})

    def _write_value(self, seq: int, value: Any) -> None:
        try:
            line = line_of(value)
        except (TypeError, ValueError, RecursionError) as error:
            raise PlumbError("child_failed", "internal", f"it gave {type(value).__name__}, which is not JSON: {error}") from None
        self._output.write(b'{"seq":%d,"value":%s}\n' % (seq, line[:-1]))

    def _fail(self, seq: int, error: BaseException) -> None:
        self._write({"seq": seq, "error": _fault(error)})

    def _write(self, value: Any) -> None:
        self._output.write(line_of(value))


def _take_over() -> tuple[BinaryIO, _Lines]:
    """Standard input and output are the protocol's alone: what else is printed goes to stderr, and nothing else reads."""
    sys.stdout.flush()
    given, output = os.fdopen(os.dup(0), "rb"), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return given, _Lines(output)


def _arriving(fd: int, ended: int) -> Iterator[bytes]:
    """Lines, until they end, or until `ended` is at its end and no more of them is there."""
    pieces: list[bytes] = []
    while fd in select.select([fd, ended], [], [])[0]:
        come = os.read(fd, 65536)
        *lines, rest = come.split(b"\n")
        for line in lines:
            yield b"".join([*pieces, line])
            pieces = []
        pieces.append(rest)
        if not come:
            break
    yield b"".join(pieces)


def _numbered(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    number = 0
    for line in lines:
        if line.strip():
            number += 1
            yield number, line


def _value_of(line: bytes) -> Any:
    try:
        return json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise PlumbError("child_failed", "internal", f"its input is not JSON: {error}") from None


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is not a JSON number")


def _fault(error: BaseException) -> dict[str, Any]:
    if isinstance(error, PlumbError):
        return {name: value for name, value in error.fields.items() if name != "seq"}
    try:
        words = str(error)
    except BaseException:
        words = "something that cannot be shown"
    text = f"{type(error).__name__}: {words}" if words else type(error).__name__
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith(os.path.dirname(__file__))]
    place = f" ({frames[-1].filename}:{frames[-1].lineno})" if frames else ""
    return {"error": "child_failed", "category": "internal", "detail": f"{text[:MAX_WORDS]}{place}"}
