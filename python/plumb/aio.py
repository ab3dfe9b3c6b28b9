"""The same for asyncio: `async with await plumb.aio.open("desk.plumb") as c: await c.call("main", input)`."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import os
import queue
from typing import Any, AsyncIterable, AsyncIterator, Callable, Generic, Iterable, Iterator, Mapping, Optional, Sequence, TypeVar, Union

from . import _http
from ._fault import PlumbError
from ._http import HttpConnection, Server
from ._spec import Cancel, Pool, SpecConnection

I = TypeVar("I")
O = TypeVar("O")
R = TypeVar("R")
T = TypeVar("T")
Inputs = Union[Iterable[T], AsyncIterable[T]]

_END: Any = object()


class Connection:
    def __init__(self, inner: Union[SpecConnection, HttpConnection], threads: concurrent.futures.ThreadPoolExecutor) -> None:
        self._inner = inner
        self._threads = threads

    async def call(self, name: str, input: Any, *, timeout: Optional[float] = None) -> Any:
        cancel = Cancel()
        try:
            return await self._run(self._inner.call, name, input, timeout=timeout, cancel=cancel)
        except asyncio.CancelledError:
            await asyncio.shield(self._run(cancel.cancel))
            raise

    async def try_call(self, name: str, input: Any, *, timeout: Optional[float] = None) -> dict[str, Any]:
        try:
            return {"ok": True, "value": await self.call(name, input, timeout=timeout)}
        except PlumbError as error:
            return {"ok": False, "error": error.fields}

    async def stream(self, name: str, inputs: Inputs[Any], *, events: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
        feeding: Optional[asyncio.Task[None]] = None
        given: Iterable[Any]
        if isinstance(inputs, AsyncIterable):
            waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
            given = _taken(waiting)
            feeding = asyncio.ensure_future(_pump(inputs, waiting))
        else:
            given = inputs
        items = self._inner.stream(name, given, events=events)
        try:
            while (item := await self._run(next, items, _END)) is not _END:
                yield item
        finally:
            if feeding:
                feeding.cancel()
            await asyncio.shield(self._run(_close, items))

    def conversation(self, id: str) -> "Connection":
        return Connection(self._inner.conversation(id), self._threads)

    async def pending(self) -> list["Question"]:
        return [Question(one, self._threads) for one in await self._run(self._inner.pending)]

    async def close(self) -> None:
        await self._run(self._inner.close)
        self._threads.shutdown(wait=False)

    async def __aenter__(self) -> "Connection":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _run(self, work: Callable[..., T], *args: Any, **named: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, functools.partial(work, *args, **named))


class Question:
    """As `plumb.Question`; `answer`, `skip` and `edit` begin at once, and are awaited to learn how they ended."""

    def __init__(self, inner: _http.Question, threads: concurrent.futures.ThreadPoolExecutor) -> None:
        self._inner = inner
        self._threads = threads
        self._loop = asyncio.get_running_loop()

    @property
    def fields(self) -> dict[str, Any]:
        return self._inner.fields

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def __getitem__(self, name: str) -> Any:
        return self._inner[name]

    def answer(self, value: Any) -> "asyncio.Future[None]":
        return self._begin(self._inner.answer, value)

    def skip(self, why: str = "skipped") -> "asyncio.Future[None]":
        return self._begin(self._inner.skip, why)

    def edit(self, input: Any) -> "asyncio.Future[None]":
        return self._begin(self._inner.edit, input)

    def _begin(self, work: Callable[[T], None], value: T) -> "asyncio.Future[None]":
        return asyncio.wrap_future(self._threads.submit(work, value), loop=self._loop)


async def _pump(inputs: AsyncIterable[Any], waiting: "queue.SimpleQueue[Any]") -> None:
    try:
        async for one in inputs:
            waiting.put(one)
    except Exception as error:
        waiting.put(_Raised(error))
    finally:
        waiting.put(_END)


class _Raised:
    def __init__(self, error: Exception) -> None:
        self.error = error


def _taken(waiting: "queue.SimpleQueue[Any]") -> Iterator[Any]:
    while (one := waiting.get()) is not _END:
        if isinstance(one, _Raised):
            raise one.error
        yield one


def _close(items: Iterator[Any]) -> None:
    close = getattr(items, "close", None)
    if close:
        close()


async def open(
    target: Union[str, "os.PathLike[str]"],
    *,
    token: Optional[str] = None,
    plumb: Optional[str] = None,
    args: Sequence[str] = (),
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    concurrency: int = 8,
) -> Connection:
    threads = concurrent.futures.ThreadPoolExecutor(max_workers=4 * concurrency)
    given = os.fspath(target)

    def connect() -> Union[SpecConnection, HttpConnection]:
        if given.startswith(("http://", "https://")):
            return HttpConnection(Server(given, token))
        return SpecConnection(Pool(given, plumb, args, cwd, env, concurrency))

    return Connection(await asyncio.get_running_loop().run_in_executor(threads, connect), threads)


class Method(Generic[I, O, R]):
    """A process of a spec: `O` is each output, `R` what a call gives."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    async def __call__(self, input: I, *, timeout: Optional[float] = None) -> R:
        result: R = await self._connection.call(self._name, input, timeout=timeout)
        return result

    async def try_call(self, input: I, *, timeout: Optional[float] = None) -> dict[str, Any]:
        return await self._connection.try_call(self._name, input, timeout=timeout)

    def stream(self, inputs: Inputs[I], *, events: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
        return self._connection.stream(self._name, inputs, events=events)
