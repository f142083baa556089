"""HTTP/1.1 as a client sees it: one connection, bytes as they are given, nothing retried by itself."""
import asyncio
import json
import socket
import struct

PATIENCE = 45


class Closed(Exception):
    """The connection ended before a whole answer; nobody knows what became of the request."""


class Answer:
    def __init__(self, status, fields, body):
        self.status, self.fields, self.body = status, fields, body
        self._json = None

    @property
    def json(self):
        if self._json is None:
            self._json = json.loads(self.body) if self.body else {}
        return self._json

    @property
    def code(self):
        return self.json.get("code") if self.fields.get("content-type") == "application/problem+json" else None

    @property
    def is_replay(self):
        return self.fields.get("idempotent-replayed") == "true"

    def __repr__(self):
        return f"{self.status} {self.body[:300]!r}"


def request(method, target, token, fields=(), body=None, chunk=None):
    lines = [f"{method} {target} HTTP/1.1", "Host: soak", f"Authorization: Bearer {token}"]
    lines += [f"{name}: {value}" for name, value in fields]
    if body is None:
        return ("\r\n".join(lines) + "\r\n\r\n").encode()
    lines.append("Content-Type: application/json")
    if chunk is None:
        lines.append(f"Content-Length: {len(body)}")
        return ("\r\n".join(lines) + "\r\n\r\n").encode() + body
    lines.append("Transfer-Encoding: chunked")
    parts = [body[at:at + chunk] for at in range(0, len(body), chunk)]
    framed = b"".join(f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in parts)
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + framed + b"0\r\n\r\n"


class Wire:
    """One connection. Every wait ends."""

    def __init__(self, port, reader, writer):
        self.port, self.reader, self.writer = port, reader, writer

    @staticmethod
    async def connect(port):
        try:
            reader, writer = await asyncio.wait_for(asyncio.open_connection("127.0.0.1", port), PATIENCE)
        except (OSError, asyncio.TimeoutError) as error:
            raise Closed(f"not connected: {error}") from None
        return Wire(port, reader, writer)

    async def send(self, data):
        try:
            self.writer.write(data)
            await asyncio.wait_for(self.writer.drain(), PATIENCE)
        except (OSError, asyncio.TimeoutError) as error:
            raise Closed(f"not sent: {error}") from None

    async def receive(self):
        try:
            head = await asyncio.wait_for(self.reader.readuntil(b"\r\n\r\n"), PATIENCE)
            lines = head[:-4].decode("latin-1").split("\r\n")
            status = int(lines[0].split(" ")[1])
            fields = {}
            for line in lines[1:]:
                name, _, value = line.partition(":")
                fields[name.lower()] = value.strip()
            length = 0 if status in (204, 304) else int(fields.get("content-length", 0))
            body = await asyncio.wait_for(self.reader.readexactly(length), PATIENCE) if length else b""
        except asyncio.TimeoutError:
            raise
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            raise Closed(str(error)) from None
        if fields.get("connection") == "close":
            self.close()
        return Answer(status, fields, body)

    async def exchange(self, data):
        await self.send(data)
        return await self.receive()

    @property
    def is_open(self):
        return not self.writer.is_closing()

    def close(self):
        self.writer.close()

    def abort(self):
        """Closes with RST, as a phone that has lost its network is seen."""
        if self.is_open:
            self.writer.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
