"""The log: one line for each request, in either form, and no secret in any of them."""

from __future__ import annotations

import asyncio
import errno
import io
import json
import logging
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import attrs
import pytest

from livecore_server.log_stream import LogStream
from livecore_server.logs import LogFormat, LogWriter, RequestLine, configure_logging
from tests.patience import PATIENCE_SECONDS
from tests.server.commands import logging_as_it_was
from tests.server.serving import Reply, Server, serving

LINE = RequestLine(
    at=1_767_225_600.5, request_id="req_1", operation="sdk:friends.list", status=200, seconds=0.00123,
    key_prefix="lc_test_client_abc", sdk="my-game/1.4.0", address="203.0.113.9",
)  # fmt: skip


def test_a_line_for_people() -> None:
    """When, what, how it ended, how long, by which key, from where."""
    assert LINE.text == (
        "2026-01-01T00:00:00.500Z request sdk:friends.list 200 1.23ms key=lc_test_client_abc sdk=my-game/1.4.0 "
        "from=203.0.113.9 request=req_1\n"
    )


def test_a_line_for_machines() -> None:
    """The same as one JSON object."""
    assert json.loads(LINE.json) == {
        "time": "2026-01-01T00:00:00.500Z",
        "level": "info",
        "logger": "livecore.request",
        "operation": "sdk:friends.list",
        "status": 200,
        "durationMs": 1.23,
        "keyPrefix": "lc_test_client_abc",
        "sdk": "my-game/1.4.0",
        "address": "203.0.113.9",
        "requestId": "req_1",
    }


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("plain-1.2:3/4", "plain-1.2:3/4"),
        ("", "-"),
        ("a 200 key=forged", '"a 200 key=forged"'),
        ('a" from=6.6.6.6 b="', r'"a\" from=6.6.6.6 b=\""'),
        ("a\\", r'"a\\"'),
        ("a\nb\x1b[2J\u202e\udc80", r'"a\nb\x1b[2J\u202e\udc80"'),
    ],
)
def test_what_a_caller_says_is_one_field(said: str, shown: str) -> None:
    """Neither a request's id nor an address can add a field or a line, or move the cursor."""
    line = attrs.evolve(LINE, request_id=said, address=said).text
    assert line.endswith(f" sdk=my-game/1.4.0 from={shown} request={shown}\n")
    assert line.count("\n") == 1


def test_a_forged_request_id_stays_one_field_of_the_log(tmp_path: Path) -> None:
    """The answer echoes it as it is, and the line holds it in quotation marks."""
    said = "x status=200 key=lc_live_server_forged from=198.51.100.7"

    async def scenario() -> tuple[Reply, str]:
        async with serving(tmp_path) as server:
            reply = await server.ask("GET", "/nowhere", headers={"X-Request-Id": said})
        return reply, server.log.getvalue()

    reply, log = asyncio.run(scenario())
    assert reply.headers["x-request-id"] == said
    assert f' from=127.0.0.1 request="{said}"\n' in log


async def play(server: Server) -> tuple[list[Reply], list[str]]:
    """A short game with mistakes in it; gives the replies, and everything that must not be in a log."""
    secret = await server.register("secret-player-name")
    wrong = "lcs_wrong_player_secret"
    replies = [
        await server.sdk("GET", "/secret-player-name/profile", secret=secret),
        await server.sdk("GET", "/secret-player-name/profile", secret=wrong),
        await server.sdk(
            "PUT", "/secret-player-name/identity", {"name": "Private Name", "avatar": None}, secret=secret
        ),
        await server.sdk("PUT", "/secret-player-name/identity", {"name": 5}, secret=secret),
        await server.studio("POST", "/players/secret-player-name/rotate-secret"),
        await server.studio("GET", "/players/secret-player-name/export"),
        await server.studio("POST", "/players/secret-player-name/merge-into/nobody-in-particular"),
        await server.studio("POST", "/players/secret-player-name/delete"),
        await server.ask(
            "GET", "/sdk/v1/players/x/profile?token=query-token", headers={"Authorization": "Bearer lc_no_key"}
        ),
        await server.ask("GET", "/admin/v1/ready"),
    ]
    rotated = replies[4].json["data"]["playerSecret"]
    keys = [once.text for once in server.game.keys.values()]
    return replies, [secret, wrong, rotated, "secret-player-name", "Private Name", "query-token", "lc_no_key", *keys]


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_every_request_has_a_line_and_no_line_has_a_secret(tmp_path: Path, log_format: LogFormat) -> None:
    """Keys, player secrets, players' names, queries and bodies stay out of the log; the key's prefix is there."""

    async def scenario() -> tuple[Server, list[Reply], list[str]]:
        async with serving(tmp_path, log_format=log_format) as server:
            return server, *await play(server)

    server, replies, secrets = asyncio.run(scenario())
    log = server.log.getvalue()
    assert [secret for secret in secrets if secret in log] == []
    assert server.game.keys["test", "client"].key.prefix in log
    for reply in replies:
        line = next(line for line in log.splitlines() if reply.headers["x-request-id"] in line)
        assert str(reply.status) in line
    if log_format == "json":
        assert all(isinstance(json.loads(line), dict) for line in log.splitlines())


@pytest.mark.parametrize("settings", [{"request_log": False}, {"log_level": "warning"}])
def test_request_lines_can_be_switched_off(tmp_path: Path, settings: dict[str, Any]) -> None:
    """By themselves or by the level: then the log holds only what is out of the ordinary."""

    async def scenario() -> str:
        async with serving(tmp_path, **settings) as server:
            await server.register("ann")
        return server.log.getvalue()

    assert "players.register" not in asyncio.run(scenario())


@pytest.mark.parametrize(("addresses", "shown"), [("whole", "127.0.0.1"), ("network", "127.0.0.0/24"), ("off", None)])
@pytest.mark.parametrize("log_format", ["text", "json"])
def test_a_line_has_as_much_of_an_address_as_the_setting_says(
    tmp_path: Path, log_format: LogFormat, addresses: str, shown: str | None
) -> None:
    """The whole one, its network or nothing, and nowhere else in the log more."""

    async def scenario() -> str:
        async with serving(tmp_path, log_format=log_format, request_log_addresses=addresses) as server:
            await server.register("ann")
        return server.log.getvalue()

    lines = asyncio.run(scenario()).splitlines()
    (line,) = [line for line in lines if "players.register" in line]
    if log_format == "json":
        assert json.loads(line)["address"] == shown
    else:
        assert f" from={shown or '-'} " in line
    if addresses != "whole":
        assert "127.0.0.1 " not in line


def test_lines_keep_their_order(tmp_path: Path) -> None:
    """A request's line that waits to be written still comes before a message that came after it."""
    stream = io.StringIO()
    writer = LogWriter(stream, "text")
    writer.gather("first\n")
    writer.emit(record("second"))
    writer.gather("third\n")
    writer.close()
    assert [line.split(" ")[-1] for line in stream.getvalue().splitlines()] == ["first", "second", "third"]
    assert not list(tmp_path.iterdir())


def record(message: str, **more: object) -> logging.LogRecord:
    """A record of the standard library's logging."""
    return logging.makeLogRecord({"name": "livecore.test", "levelname": "ERROR", "msg": message, **more})


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_an_exception_is_logged_with_its_request(log_format: LogFormat) -> None:
    """The traceback belongs to operators, under the id that the caller was told."""
    stream = io.StringIO()
    error = RuntimeError("reason")
    about = (type(error), error, None)
    LogWriter(stream, log_format).emit(record("it failed", exc_info=about, request_id="req_7"))
    text = stream.getvalue()
    assert "RuntimeError: reason" in text
    assert "req_7" in text
    if log_format == "json":
        assert json.loads(text)["requestId"] == "req_7"


def test_a_message_and_its_traceback_cannot_pass_for_lines_of_the_log() -> None:
    """What a database or a library says may hold line breaks; lines that go on are indented."""
    stream = io.StringIO()
    error = RuntimeError("reason\n2026-01-01T00:00:00.000Z info forged\x1b[2J")
    about = (type(error), error, None)
    LogWriter(stream, "text").emit(record("it\nfailed", exc_info=about, request_id="a b"))
    first, *rest = stream.getvalue().splitlines()
    assert first.endswith(' error it\\nfailed request="a b"')
    assert rest
    assert all(line.startswith("  ") and line.isprintable() for line in rest)


def test_all_logging_goes_through_one_writer() -> None:
    """Libraries' messages come in the same form, from the chosen level on."""
    stream = io.StringIO()
    with logging_as_it_was():
        configure_logging("json", "warning", stream)
        logging.getLogger("some.library").info("unheard")
        logging.getLogger("some.library").warning("heard %s", "well")
    assert [json.loads(line)["message"] for line in stream.getvalue().splitlines()] == ["heard well"]


def test_a_log_that_nobody_reads_stops_nobody() -> None:
    """What a full pipe does not take waits, as much as there is room for; the rest is counted, and said once it is read."""
    reading, writing = os.pipe()
    pipe = os.fdopen(writing, "w", encoding="utf-8")
    stream = LogStream(pipe, most_pieces=20)
    writer = LogWriter(stream, "text")
    for number in range(2_000):  # four times what a pipe holds, and twenty pieces more
        writer.emit(record(f"{number} {'x' * 100}"))
    assert writer.dropped_lines > 0

    def read() -> list[str]:
        with os.fdopen(reading, encoding="utf-8") as unread:
            return unread.read().splitlines()

    with ThreadPoolExecutor(max_workers=1) as beside:
        lines = beside.submit(read)
        writer.close()
        writer.emit(record("it is read again"))
        pipe.close()
        *written, last = lines.result(PATIENCE_SECONDS)
    numbers = [int(line.split(" ")[2]) for line in written if line.endswith("x")]
    assert numbers == sorted(set(numbers))
    reported = [int(line.split(" ")[2]) for line in written if line.endswith("could not be written")]
    assert sum(reported) == writer.dropped_lines == 2_000 - len(numbers)
    assert last.endswith("it is read again")


class _FullDisk(io.StringIO):
    """Standard error on a disk that is full, until it is not."""

    full = True

    def flush(self) -> None:
        """Fail, and forget what was to be written."""
        if self.full:
            self.seek(0)
            self.truncate()
            raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_behind_the_log_fails_nobody() -> None:
    """What could not be written is counted; once there is space again the log says so and goes on."""
    disk = _FullDisk()
    writer = LogWriter(LogStream(disk), "text")
    writer.emit(record("lost"))
    writer.close()
    assert writer.dropped_lines == 1
    disk.full = False
    writer.emit(record("kept"))
    writer.emit(record("kept as well"))
    kept, notice, after = disk.getvalue().splitlines()
    assert kept.endswith("error kept")
    assert "1 lines of the log were dropped" in notice
    assert after.endswith("error kept as well")
