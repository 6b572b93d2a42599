"""A peer of WebSockets, with the library websockets: `ask URL HOW` talks to a server, `serve PORT HOW` to clients. HOW
is `deflate` or `plain`. What was as it should be is printed as a line of words."""

import asyncio
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

LONG = "some words " * 95325 + "!"
BYTES = bytes((i * 31 + (i >> 8)) & 255 for i in range(1 << 20))

verb, where, how = sys.argv[1:]
compression = "deflate" if how == "deflate" else None


def packing(socket):
    return "deflate" if socket.protocol.extensions else "plain"


async def opened():
    return await connect(where, subprotocols=["chat.v1", "chat.v2"], compression=compression, max_size=2 << 20)


async def ended(socket):
    try:
        while True:
            await socket.recv()
    except ConnectionClosed:
        return f"{socket.close_code}:{socket.close_reason}"


async def ask():
    socket = await opened()
    said = [socket.subprotocol, packing(socket)]

    def check(name, is_right):
        said.append(name if is_right else "not-" + name)

    async def echoes(message):
        await socket.send(message)
        return await socket.recv() == message

    check("text", await echoes("hello äß€😀"))
    check("empty", await echoes(""))
    check("bytes", await echoes(BYTES))
    check("long", await echoes(LONG))

    async def parts():
        yield "one "
        pongs.append(await socket.ping("between"))
        yield "two "
        yield "three"

    pongs = []
    await socket.send(parts())
    await pongs[0]
    check("pong", True)
    check("parts", await socket.recv() == "one two three")

    for i in range(100):
        await socket.send(f"m{i}")
    check("burst", [await socket.recv() for _ in range(100)] == [f"m{i}" for i in range(100)])

    await socket.send("close 4001 enough")
    said.append(await ended(socket))

    second = await opened()
    await second.close(4002, "bye")
    said.append(f"{second.close_code}")
    print(*said)


ends = asyncio.Queue()


async def answer(socket):
    try:
        async for message in socket:
            word, *more = message.split(" ") if isinstance(message, str) else [""]
            if word == "close":
                await socket.close(int(more[0]), more[1])
            elif word == "packing":
                await socket.send(packing(socket))
            elif word == "last":
                await socket.send(await ends.get())
            else:
                await socket.send(message)
    except ConnectionClosed:
        pass
    ends.put_nowait(f"{socket.close_code}:{socket.close_reason}")


async def listen():
    options = {"subprotocols": ["chat.v2"], "compression": compression, "max_size": 2 << 20}
    async with serve(answer, "127.0.0.1", int(where), **options) as server:
        await server.serve_forever()


asyncio.run(listen() if verb == "serve" else ask())
