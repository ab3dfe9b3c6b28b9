"""Calls the processes of a plumb spec, and makes agents of functions. See plumb-clients(7)."""

from . import aio as aio
from ._agent import DROP as DROP
from ._agent import Agent as Agent
from ._agent import agent as agent
from ._agent import telemetry as telemetry
from ._connection import Connection as Connection
from ._connection import Json as Json
from ._connection import Method as Method
from ._fault import PlumbError as PlumbError
from ._labels import Secret as Secret
from ._labels import Untrusted as Untrusted
from ._labels import reveal as reveal
from ._labels import secret as secret
from ._labels import untrusted as untrusted
from ._open import call as call
from ._open import check as check
from ._open import open as open

__all__ = [
    "DROP",
    "Agent",
    "Connection",
    "Json",
    "Method",
    "PlumbError",
    "Secret",
    "Untrusted",
    "agent",
    "aio",
    "call",
    "check",
    "open",
    "reveal",
    "secret",
    "telemetry",
    "untrusted",
]
