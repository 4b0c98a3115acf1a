"""Receivers of webhooks on real sockets, well-behaved and hostile: each is a function of the connection's writer.

A receiver reads one request from each connection, remembers it, and lets its manner answer. Manners wait for events and for
the other side, never for time.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime as dt
import ipaddress
import itertools
import socket
import ssl
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

import attrs
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from livecore_client.webhooks import WebhookEvent, verify
from tests.patience import PATIENCE_SECONDS

Manner: TypeAlias = Callable[[asyncio.StreamWriter], Awaitable[None]]


@attrs.frozen
class Received:
    """One request as it came over the wire; header names in lower case."""

    line: str
    headers: dict[str, str]
    body: bytes

    def event(self, *secrets: str, now: int) -> WebhookEvent:
        """The proven event, `now` in milliseconds."""
        return verify(self.body, self.headers["x-signature"], list(secrets), now=now / 1000)


@attrs.define(eq=False)
class Receiver:
    """A listening receiver: what it got, and a queue to wait for the next request."""

    host: str
    port: int
    manner: Manner
    received: list[Received] = attrs.field(factory=list)
    arrivals: asyncio.Queue[Received] = attrs.field(factory=asyncio.Queue)
    connections: int = 0
    open_requests: int = 0
    most_open_requests: int = 0
    """How many requests waited for their answer at the same time, at most."""

    @property
    def url(self) -> str:
        """Where test endpoints may send to."""
        return f"http://{self.host}:{self.port}/hook"

    async def next(self) -> Received:
        """The next request that was not asked for yet."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            return await self.arrivals.get()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Take one request and answer it in the receiver's manner."""
        self.connections += 1
        try:
            request = await _read_request(reader)
            self.received.append(request)
            self.arrivals.put_nowait(request)
            await self._answer(writer)
        except (OSError, asyncio.IncompleteReadError):
            pass  # the sender had enough of us
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter) -> None:
        self.open_requests += 1
        self.most_open_requests = max(self.most_open_requests, self.open_requests)
        try:
            await self.manner(writer)
        finally:
            self.open_requests -= 1


async def _read_request(reader: asyncio.StreamReader) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return Received(head[0], headers, await reader.readexactly(int(headers.get("content-length", "0"))))


@contextlib.asynccontextmanager
async def receiver(
    manner: Manner | None = None, *, host: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[Receiver]:
    """A receiver that listens while the block runs; without a manner it answers 200."""
    made = Receiver(host, port, manner or answering(200))
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(made.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(connected, host, port, ssl=tls)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


# -- manners --------------------------------------------------------------------------------------------------------------


def answering(status: int, *headers: str, body: bytes = b"") -> Manner:
    """Answer at once and in full."""
    return saying("\r\n".join([f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *headers, "", ""]), body)


def saying(text: str, body: bytes = b"") -> Manner:
    """Send these bytes and close the connection in order."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        writer.write(text.encode() + body)
        await writer.drain()

    return manner


def saying_then_hanging(text: str) -> Manner:
    """Send these bytes, and nothing more for ever."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        writer.write(text.encode())
        await writer.drain()
        await asyncio.Event().wait()

    return manner


def saying_for_ever(text: str, endless: bytes) -> Manner:
    """Send these bytes, then others as long as anybody takes them."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        writer.write(text.encode())
        while True:
            writer.write(endless)
            await writer.drain()
            await asyncio.sleep(0)

    return manner


def saying_then_resetting(text: str) -> Manner:
    """Send these bytes and tear the connection down."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        writer.write(text.encode())
        await writer.drain()
        connection = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()

    return manner


def waiting_for(event: asyncio.Event, then: Manner) -> Manner:
    """Answer only once the event is set."""

    async def manner(writer: asyncio.StreamWriter) -> None:
        await event.wait()
        await then(writer)

    return manner


def in_turn(*manners: Manner) -> Manner:
    """One manner for each request; the last one goes on."""
    coming = itertools.chain(manners[:-1], itertools.repeat(manners[-1]))

    async def manner(writer: asyncio.StreamWriter) -> None:
        await next(coming)(writer)

    return manner


# -- certificates ---------------------------------------------------------------------------------------------------------


@attrs.frozen
class Certificate:
    """A self-signed certificate, as the receiver shows it and as somebody who trusts it checks it."""

    serving: ssl.SSLContext
    trusting: ssl.SSLContext


def certificate(folder: Path, *names: str) -> Certificate:
    """A certificate for these names and addresses."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "receiver")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(dt.datetime(2020, 1, 1, tzinfo=dt.UTC))
        .not_valid_after(dt.datetime(2100, 1, 1, tzinfo=dt.UTC))
        .add_extension(x509.SubjectAlternativeName([_general_name(text) for text in names]), critical=False)
        .sign(key, hashes.SHA256())
    )
    file = folder / "receiver.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + made.public_bytes(serialization.Encoding.PEM)
    )
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(file)
    return Certificate(serving, ssl.create_default_context(cafile=str(file)))


def _general_name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)
