"""For models that `plumb types --to python --pydantic` writes: they take exactly what plumb takes. Needs pydantic 2."""

from __future__ import annotations

import json
import math
from typing import Annotated, Any, AsyncIterator, Callable, Generic, Iterable, Iterator, Optional, Sequence, TypeVar, Union, get_args

import pydantic
import pydantic_core
from pydantic_core import core_schema

from . import aio
from ._connection import Connection

I = TypeVar("I")
O = TypeVar("O")
R = TypeVar("R")


class Model(pydantic.BaseModel):
    """A record: no other fields, and nothing is made of another type."""

    model_config = pydantic.ConfigDict(extra="forbid", strict=True, protected_namespaces=())


class Open(pydantic.BaseModel):
    """A record that takes other fields too."""

    model_config = pydantic.ConfigDict(extra="allow", strict=True, protected_namespaces=())


def _refuse(what: str, value: object) -> Exception:
    return pydantic_core.PydanticCustomError("plumb", "expected {what}, found {kind}", {"what": what, "kind": type(value).__name__})


class _Rule:
    def __init__(self, check: Callable[[Any], Any]) -> None:
        self._check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)


def _int(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or (isinstance(value, float) and not value.is_integer()):
        raise _refuse("int", value)
    return int(value)


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise _refuse("number", value)
    return value


def _json(value: Any) -> Any:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        raise _refuse("json", value) from None
    return value


#: A number without a fraction: 1.0 is one, True and "1" are none.
Int = Annotated[int, _Rule(_int)]
Number = Annotated[float, _Rule(_number)]
Text = Annotated[str, pydantic.Strict()]
Bool = Annotated[bool, pydantic.Strict()]
Json = Annotated[Any, _Rule(_json)]


class Items:
    """A list of just these items, in their order."""

    def __init__(self, items: Callable[[], Sequence[Any]]) -> None:
        self._items = items
        self._adapters: Optional[list[pydantic.TypeAdapter[Any]]] = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def _check(self, value: Any) -> list[Any]:
        if self._adapters is None:
            self._adapters = [pydantic.TypeAdapter(item) for item in self._items()]
        if not isinstance(value, (list, tuple)) or len(value) != len(self._adapters):
            raise _refuse(f"a list of {len(self._adapters)}", value)
        return [adapter.validate_python(item, strict=True) for adapter, item in zip(self._adapters, value)]


class Limits:
    """Of numbers, of the length of texts, of the number of items; what is none of these has none."""

    def __init__(self, least: Optional[float], most: Optional[float]) -> None:
        self._least, self._most = least, most

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))

    def _check(self, value: Any) -> Any:
        size: Optional[float] = None
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            size = value
        elif isinstance(value, (str, list)):
            size = len(value)
        if size is not None and ((self._least is not None and size < self._least) or (self._most is not None and size > self._most)):
            raise pydantic_core.PydanticCustomError("plumb", "outside of its limits")
        return value


class Absent:
    """A field that may be left out: None stands for that, and null is no value of it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        kept = tuple(arg for arg in get_args(source) if arg is not type(None))
        schema: core_schema.CoreSchema = handler.generate_schema(Union[kept] if kept else source)
        return schema


def filled(text: str, of: Callable[[], Any], alias: Optional[str] = None) -> Any:
    """A field with a default, which is JSON."""
    return pydantic.Field(default_factory=lambda: pydantic.TypeAdapter(of()).validate_python(json.loads(text), strict=True), alias=alias)


class _Types(Generic[I, O, R]):
    def __init__(self, input: Any, output: Any, is_many: bool) -> None:
        self._input: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(input)
        self._output: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(output)
        self._is_many = is_many

    def to_json(self, value: I) -> Any:
        return self._input.dump_python(value, mode="json", by_alias=True, exclude_unset=True)

    def item(self, item: dict[str, Any]) -> dict[str, Any]:
        return {**item, "value": self._output.validate_python(item["value"], strict=True)} if "value" in item else item

    def result(self, value: Any) -> Any:
        if self._is_many:
            return [self._output.validate_python(one, strict=True) for one in value]
        return self._output.validate_python(value, strict=True)


class Method(Generic[I, O, R]):
    """A process of a spec, which takes and gives models."""

    def __init__(self, connection: Connection, name: str, input: Any, output: Any, is_many: bool) -> None:
        self._connection, self._name = connection, name
        self._types: _Types[I, O, R] = _Types(input, output, is_many)

    def __call__(self, input: I, *, timeout: Optional[float] = None) -> R:
        result: R = self._types.result(self._connection.call(self._name, self._types.to_json(input), timeout=timeout))
        return result

    def stream(self, inputs: Iterable[I], *, events: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        for item in self._connection.stream(self._name, (self._types.to_json(one) for one in inputs), events=events):
            yield self._types.item(item)


class AsyncMethod(Generic[I, O, R]):
    """The same for asyncio."""

    def __init__(self, connection: aio.Connection, name: str, input: Any, output: Any, is_many: bool) -> None:
        self._connection, self._name = connection, name
        self._types: _Types[I, O, R] = _Types(input, output, is_many)

    async def __call__(self, input: I, *, timeout: Optional[float] = None) -> R:
        result: R = self._types.result(await self._connection.call(self._name, self._types.to_json(input), timeout=timeout))
        return result

    async def stream(self, inputs: Iterable[I], *, events: Sequence[str] = ()) -> AsyncIterator[dict[str, Any]]:
        async for item in self._connection.stream(self._name, [self._types.to_json(one) for one in inputs], events=events):
            yield self._types.item(item)
