"""Why no answer arrived, in words: what the HTTP library raised as one of our exceptions.

The texts name the server and say what may be wrong; they repeat no header, no body and no query, so no secret either.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
from collections.abc import Iterator
from typing import Final

import httpx

from livecore.errors.families import UnreadableAnswer
from livecore_client._failures import ConnectionFailed, TimedOut, TlsFailed, TransportError

__all__ = ["place_of", "transport_failure"]

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_NOT_HTTPS: Final = frozenset({"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "UNKNOWN_PROTOCOL"})
"""What OpenSSL finds, by release, where the answer to its greeting is no TLS."""
_UNREACHABLE: Final = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_BROKEN: Final = (httpx.ReadError, httpx.WriteError, httpx.CloseError, httpx.RemoteProtocolError)
_NO_STATUS_LINE: Final = re.compile("illegal status line", re.IGNORECASE)


def place_of(url: httpx.URL) -> str:
    """Host and port, such as `live.example.com:443`."""
    host = f"[{url.host}]" if ":" in url.host else url.host
    return f"{host}:{url.port or _DEFAULT_PORTS.get(url.scheme, 0)}"


def transport_failure(
    fault: httpx.RequestError, request: httpx.Request, *, attempt: int = 1, is_last_moment: bool = False
) -> TransportError | UnreadableAnswer:
    """The exception for a failure of the HTTP library.

    `is_last_moment` says that the attempt had less time than usual, because the call's deadline was near.
    """
    place = place_of(request.url)
    tried = f" ({attempt} attempts)" if attempt > 1 else ""
    if isinstance(fault, httpx.TimeoutException):
        return TimedOut(_late(fault, request, place, is_last_moment=is_last_moment) + tried)
    if isinstance(fault, httpx.ProxyError):
        return ConnectionFailed(f"the proxy on the way to {place} refused: {fault}{tried}")
    if isinstance(fault, httpx.ConnectError):
        return _unconnected(fault, request.url, place, tried)
    if isinstance(fault, _BROKEN):
        return ConnectionFailed(_broken(fault, request.url, place) + tried)
    if isinstance(fault, httpx.TransportError):
        # Without the library's own text, which may quote a header.
        return TransportError(f"the request to {place} could not be sent: {type(fault).__name__}")
    return UnreadableAnswer(f"the answer of {place} cannot be read: {str(fault) or type(fault).__name__}")


def _late(fault: httpx.TimeoutException, request: httpx.Request, place: str, *, is_last_moment: bool) -> str:
    phase, what = "read", f"no answer from {place}"
    if isinstance(fault, httpx.ConnectTimeout):
        phase, what = "connect", f"no connection to {place}"
    elif isinstance(fault, httpx.PoolTimeout):
        phase, what = "pool", f"all connections to {place} were in use"
    elif isinstance(fault, httpx.WriteTimeout):
        phase, what = "write", f"{place} did not take the request"
    seconds = request.extensions.get("timeout", {}).get(phase)
    within = "" if seconds is None else f" within {seconds:.3g} s"
    return what + within + (", which was left until the deadline" if is_last_moment and within else "")


def _unconnected(fault: httpx.ConnectError, url: httpx.URL, place: str, tried: str) -> ConnectionFailed:
    head = f"no connection to {place}: "
    for cause in _causes(fault):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return TlsFailed(f"{head}its certificate is not trusted ({cause.verify_message})")
        if isinstance(cause, ssl.SSLError) and cause.reason in _NOT_HTTPS:
            meant = url.copy_with(scheme="http", port=url.port or 443, path="/", query=None)
            return TlsFailed(f"{head}the server does not speak https: did you mean {str(meant).rstrip('/')}?")
        if isinstance(cause, ssl.SSLError):
            return ConnectionFailed(f"{head}no encryption could be agreed ({cause.reason or 'no reason given'}){tried}")
        if isinstance(cause, socket.gaierror):
            return ConnectionFailed(f"{head}the name {url.host} cannot be resolved ({cause.strerror}){tried}")
        if isinstance(cause, ConnectionRefusedError):
            return ConnectionFailed(f"{head}refused, so no server listens there{tried}")
        if isinstance(cause, ConnectionResetError | BrokenPipeError):
            https = ", as one does that does not speak https" if url.scheme == "https" else ""
            return ConnectionFailed(f"{head}the server closed it at once{https}{tried}")
        if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
            return ConnectionFailed(f"{head}the network has no way there ({cause.strerror}){tried}")
    return ConnectionFailed(f"{head}{str(fault) or type(fault).__name__}{tried}")


def _broken(fault: httpx.RequestError, url: httpx.URL, place: str) -> str:
    if _NO_STATUS_LINE.search(str(fault)):
        what = f"{place} answered with something that is not HTTP"
    else:
        what = f"the connection to {place} broke before the answer was complete"
    is_encrypted = url.scheme == "https"
    return what if is_encrypted else f"{what}; if the server speaks https, base_url must begin with https://"


def _causes(fault: BaseException) -> Iterator[BaseException]:
    """A failure and what it came from; several addresses of a name may have failed, each in its way."""
    seen: set[int] = set()
    todo: list[BaseException] = [fault]
    while todo:
        one = todo.pop(0)
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, BaseExceptionGroup):
            todo += one.exceptions
        todo += [cause for cause in (one.__cause__, one.__context__) if cause is not None]
