"""Errors of plumb, as exceptions."""

from __future__ import annotations

from typing import Any, Iterator, Mapping


class PlumbError(Exception):
    """An error of plumb. Its fields are attributes, and `plumb explain CODE` says more of its `error`."""

    error: str
    category: str
    detail: str

    def __init__(self, error: str, category: str = "internal", detail: str = "", **fields: Any) -> None:
        super().__init__(f"{error}: {detail}")
        self.error = error
        self.category = category
        self.detail = detail
        self.fields: dict[str, Any] = {"error": error, "category": category, "detail": detail, **fields}

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["fields"][name]
        except KeyError:
            raise AttributeError(name) from None

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __reduce__(self) -> Any:
        return (_made, (self.fields,))


def _made(fields: dict[str, Any]) -> PlumbError:
    return fault_of(fields)


def fault_of(value: Any, otherwise: str = "") -> PlumbError:
    """An error object of plumb, whatever came in its place."""
    if isinstance(value, Mapping) and isinstance(value.get("error"), str):
        more = {str(k): v for k, v in value.items() if k not in ("error", "category", "detail", "self")}
        category, detail = str(value.get("category", "internal")), str(value.get("detail", value["error"]))
        return PlumbError(value["error"], category, detail, **more)
    return PlumbError("child_failed", "internal", otherwise)
