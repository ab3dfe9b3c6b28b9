"""What a connection is, whichever way it goes."""

from __future__ import annotations

import abc
from typing import Any, Generic, Iterable, Iterator, Optional, Sequence, TypeVar

from ._fault import PlumbError

Json = Any
I = TypeVar("I")
O = TypeVar("O")
R = TypeVar("R")


class Connection(abc.ABC):
    """Calls the processes of a spec. A context manager: it ends what it has started."""

    @abc.abstractmethod
    def call(self, name: str, input: Any, *, timeout: Optional[float] = None) -> Any:
        """The output; where an input may have several, their list. Raises PlumbError."""

    @abc.abstractmethod
    def stream(self, name: str, inputs: Iterable[Any], *, events: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        """Sends each input as it comes. Yields {"seq", "value"}, {"seq", "error"} and, for kinds of telemetry in `events`, {"seq", "event"}."""

    @abc.abstractmethod
    def conversation(self, id: str) -> "Connection":
        """The same within that conversation: its agents remember."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends what it has started. A call after it fails."""

    def pending(self) -> list[Any]:
        """The questions that wait for a person."""
        return []

    def try_call(self, name: str, input: Any, *, timeout: Optional[float] = None) -> dict[str, Any]:
        """As `call`: {"ok": True, "value"} or {"ok": False, "error"}."""
        try:
            return {"ok": True, "value": self.call(name, input, timeout=timeout)}
        except PlumbError as error:
            return {"ok": False, "error": error.fields}

    def __enter__(self) -> "Connection":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Method(Generic[I, O, R]):
    """A process of a spec: `O` is each output, `R` what a call gives."""

    def __init__(self, connection: Connection, name: str) -> None:
        self._connection = connection
        self._name = name

    def __call__(self, input: I, *, timeout: Optional[float] = None) -> R:
        result: R = self._connection.call(self._name, input, timeout=timeout)
        return result

    def try_call(self, input: I, *, timeout: Optional[float] = None) -> dict[str, Any]:
        return self._connection.try_call(self._name, input, timeout=timeout)

    def stream(self, inputs: Iterable[I], *, events: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        return self._connection.stream(self._name, inputs, events=events)
