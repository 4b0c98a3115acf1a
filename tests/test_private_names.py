"""The names of other libraries that are used and promised by nobody: this test fails before all others when one moves.

Where a library has no public way to bound or to see something, its own names are used. A minor version may change them, so
`pyproject.toml` admits only the versions that were tried. Raise a bound there once this test passes with the new version,
and the suite after it.
"""

from __future__ import annotations

import asyncio
import inspect
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import aiohttp
from aiohttp import http_parser, web
from aiohttp.client_proto import ResponseHandler
from packaging.requirements import Requirement
from packaging.version import Version
from prometheus_client import mmap_dict, multiprocess

BOUNDED: Final = ("aiohttp", "prometheus-client")
_ROOT: Final = Path(__file__).parents[1]
_PARSER: Final = ("feed_data", "feed_eof", "message_consumed", "pause_reading", "set_upgraded")


async def _nobody(_: web.BaseRequest) -> web.StreamResponse:
    raise NotImplementedError


async def _of_the_server() -> dict[str, bool]:
    """What `livecore_server/http` needs of a server and its connections."""
    server = web.Server(_nobody)
    connection = web.RequestHandler(server, loop=asyncio.get_running_loop())
    parser = getattr(connection, "_parser", None)
    return {
        "aiohttp.web.Server._loop": getattr(server, "_loop", None) is asyncio.get_running_loop(),
        "aiohttp.web.Server.connection_lost": _takes(web.Server, "connection_lost", "handler", "exc"),
        "aiohttp.web.Server.pre_shutdown": hasattr(server, "pre_shutdown"),
        "aiohttp.web.RequestHandler._parser": parser is not None and all(hasattr(parser, name) for name in _PARSER),
        "aiohttp.web.RequestHandler.handle_error": _takes(
            web.RequestHandler, "handle_error", "request", "status", "exc", "message"
        ),
        "aiohttp.web.RequestHandler.writing_paused": hasattr(connection, "writing_paused"),
        "aiohttp.http_parser.HttpParser": all(hasattr(http_parser.HttpParser, name) for name in _PARSER),
        "aiohttp.http_parser.RawRequestMessage": hasattr(http_parser, "RawRequestMessage"),
    }


async def _of_the_client() -> dict[str, bool]:
    """What `livecore_server/background/webhooks/bounds.py` needs of the HTTP client."""
    async with aiohttp.TCPConnector() as connector:
        factory = getattr(connector, "_factory", None)
        return {
            "aiohttp.TCPConnector._factory": isinstance(factory, partial) and factory.func is ResponseHandler,
            "aiohttp.TCPConnector._loop": getattr(connector, "_loop", None) is asyncio.get_running_loop(),
            "aiohttp.client_proto.ResponseHandler.feed_data": hasattr(ResponseHandler, "feed_data"),
            "aiohttp.client_proto.ResponseHandler.data_received": hasattr(ResponseHandler, "data_received"),
            "aiohttp.client_proto.ResponseHandler.set_exception": hasattr(ResponseHandler, "set_exception"),
        }


def _of_the_metrics() -> dict[str, bool]:
    """What `livecore_server/workers/metrics.py` needs to share counts between processes."""
    kept = getattr(mmap_dict, "MmapedDict", None)
    collector = multiprocess.MultiProcessCollector
    return {
        "prometheus_client.mmap_dict.MmapedDict": all(
            hasattr(kept, name) for name in ("read_all_values", "write_value", "close")
        ),
        "prometheus_client.mmap_dict.mmap_key": _takes(
            mmap_dict, "mmap_key", "metric_name", "name", "labelnames", "labelvalues", "help_text"
        ),
        "prometheus_client.multiprocess.MultiProcessCollector.merge": _takes(collector, "merge", "files", "accumulate"),
        "prometheus_client.multiprocess.mark_process_dead": _takes(multiprocess, "mark_process_dead", "pid", "path"),
    }


def _takes(holder: object, name: str, *parameters: str) -> bool:
    """Whether something of that name can be called with these parameters."""
    found: Callable[..., Any] | None = getattr(holder, name, None)
    return found is not None and set(parameters) <= set(inspect.signature(found).parameters)


async def _all_names() -> dict[str, bool]:
    return {**await _of_the_server(), **await _of_the_client(), **_of_the_metrics()}


def _bounds() -> Iterator[Requirement]:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for text in project["optional-dependencies"]["server"]:
        requirement = Requirement(text)
        if requirement.name in BOUNDED:
            yield requirement


def test_every_private_name_is_where_it_was() -> None:
    """In the installed versions, which are those that `pyproject.toml` admits; no later minor version is admitted."""
    moved = [name for name, there in asyncio.run(_all_names()).items() if not there]
    installed = ", ".join(f"{name} {version(name)}" for name in BOUNDED)
    assert not moved, f"{installed}: moved or changed: {', '.join(moved)}; admit an older version in pyproject.toml"
    bounds = list(_bounds())
    assert sorted(one.name for one in bounds) == sorted(BOUNDED)
    for bound in bounds:
        found = Version(version(bound.name))
        assert bound.specifier.contains(found)
        assert not bound.specifier.contains(f"{found.major}.{found.minor + 1}"), f"{bound.name} has no upper bound"
