"""Labels of a spec (plumb-flows(7)) as types: what is untrusted or secret is opaque to a type checker until `reveal` takes the label off.

At run time they are nothing: a value is the same with a label and without.
"""

from __future__ import annotations

import typing as _t

T = _t.TypeVar("T", covariant=True)
V = _t.TypeVar("V")


class _Label(_t.Generic[T]):
    # For pydantic the type of the value: a label is nothing at run time.
    @classmethod
    def __get_pydantic_core_schema__(cls, source: _t.Any, handler: _t.Callable[[_t.Any], _t.Any]) -> _t.Any:
        (of,) = _t.get_args(source) or (_t.Any,)
        return handler(of) if not hasattr(handler, "generate_schema") else handler.generate_schema(of)


class Untrusted(_Label[T]):
    """Somebody outside may have written it."""


class Secret(_Label[T]):
    """It must not leave."""


def untrusted(value: V) -> Untrusted[V]:
    return _t.cast("Untrusted[V]", value)


def secret(value: V) -> Secret[V]:
    return _t.cast("Secret[V]", value)


def reveal(value: _t.Union[Untrusted[V], Secret[V]]) -> V:
    """The value itself: the outermost label is taken off."""
    return _t.cast("V", value)
