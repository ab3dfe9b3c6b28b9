"""Opens connections, and checks specs."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any, Mapping, Optional, Sequence, Union

from ._connection import Connection
from ._fault import PlumbError
from ._http import HttpConnection, Server
from ._spec import Pool, SpecConnection, faults_in, program

Path = Union[str, "os.PathLike[str]"]


def open(
    target: Path,
    *,
    token: Optional[str] = None,
    plumb: Optional[str] = None,
    args: Sequence[str] = (),
    cwd: Optional[str] = None,
    env: Optional[Mapping[str, str]] = None,
    concurrency: int = 8,
) -> Connection:
    """A connection to the processes of a spec, which is run here, or to those of the plumb-serve at a URL.

    `args` are further options of `plumb run`, `concurrency` is how many requests run at once.
    """
    given = os.fspath(target)
    if given.startswith(("http://", "https://")):
        return HttpConnection(Server(given, token))
    return SpecConnection(Pool(given, plumb, args, cwd, env, concurrency))


def call(spec: Path, input: Any, *, name: str = "main", plumb: Optional[str] = None, timeout: Optional[float] = None) -> Any:
    """The output of `main` for one input; where there may be several, their list."""
    with open(spec, plumb=plumb) as connection:
        return connection.call(name, input, timeout=timeout)


def check(spec: Path, *, plumb: Optional[str] = None) -> list[dict[str, Any]]:
    """The diagnostics of a spec, as `plumb check --json` has them; none where it is right."""
    words = [program(plumb), "check", "--json", os.fspath(spec)]
    env = {**os.environ, "PLUMB_ERRORS": "json"}
    ran = subprocess.run(words, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    if not lines:
        raise faults_in(ran.stderr, f"plumb check ended with status {ran.returncode}")
    return [line for line in lines if "severity" in line]


__all__ = ["PlumbError", "call", "check", "open"]
