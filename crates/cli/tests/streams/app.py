"""What the tests talk to over WebSocket and server-sent events. It keeps books of its own."""

import asyncio
import gzip
import hashlib
import json
import time

from starlette.applications import Starlette
from starlette.responses import JSONResponse, PlainTextResponse, StreamingResponse
from starlette.routing import Route, WebSocketRoute

counts = {}
seen = []


def count(what, by=1):
    counts[what] = counts.get(what, 0) + by


async def echo(socket):
    """Gives back what it gets; some texts ask for more."""
    await socket.accept(subprotocol=(socket.scope["subprotocols"] or [None])[-1])
    count("connections")
    count("open")
    seen.append(dict(socket.headers))
    try:
        while True:
            message = await socket.receive()
            if message["type"] == "websocket.disconnect":
                count(f"closed {message['code']}")
                break
            count("messages")
            data = message.get("bytes")
            if data is not None:
                await socket.send_text(f"{len(data)} {hashlib.sha256(data).hexdigest()}")
                continue
            text = message["text"]
            word, _, rest = text.partition(" ")
            if word == "close":
                await socket.close(code=int(rest), reason="asked")
                break
            if word == "drop":
                await socket.close(code=1001)
                break
            if word == "after":
                wait, _, rest = rest.partition(" ")
                await asyncio.sleep(int(wait) / 1000)
                await socket.send_text(rest)
            elif word == "bye":
                await socket.send_text("hi")
                await socket.close(code=1000, reason="bye")
                break
            elif word == "flood":
                ends = time.monotonic() + float(rest)
                while time.monotonic() < ends:
                    await socket.send_text("x" * 100)
            elif word == "big":
                await socket.send_text("x" * int(rest))
            elif word == "noise":
                for number in range(int(rest)):
                    await socket.send_text(json.dumps({"kind": "noise", "number": number}))
                await socket.send_text(json.dumps({"kind": "result", "value": 42}))
            elif word == "ticks":
                many, wait = map(int, rest.split())
                for number in range(many):
                    await asyncio.sleep(wait / 1000)
                    await socket.send_text(f"tick {number}")
            elif word == "silence":
                pass
            else:
                await socket.send_text(text)
    finally:
        count("open", -1)


async def events(request):
    many = int(request.query_params.get("n", "5"))
    wait = float(request.query_params.get("ms", "10")) / 1000
    body = (await request.body()).decode()
    seen.append({"method": request.method, "body": body, **request.headers})

    async def stream():
        count("streams")
        yield ": hello\n\nretry: 1000\n\n"
        for number in range(many):
            await asyncio.sleep(wait)
            count("events")
            yield f"event: tick\nid: {number}\ndata: {json.dumps({'number': number, 'asked': body})}\n\n"
        yield "data: [DONE]\n\n"
        count("events")

    return StreamingResponse(stream(), media_type="text/event-stream; charset=utf-8")


async def huge(request):
    async def stream():
        yield "data: " + "x" * int(request.query_params["n"])
        yield "\n\n"

    return StreamingResponse(stream(), media_type="text/event-stream")


async def zipped(_):
    return StreamingResponse(
        iter([gzip.compress(b"data: 1\n\n")]),
        media_type="text/event-stream",
        headers={"Content-Encoding": "gzip"},
    )


async def nothing(_):
    return StreamingResponse(iter([": nothing\n\n"]), media_type="text/event-stream")


async def books(_):
    return JSONResponse({"counts": counts, "seen": seen})


async def login(_):
    response = PlainTextResponse("in")
    response.set_cookie("session", "abc123")
    return response


app = Starlette(
    routes=[
        WebSocketRoute("/echo", echo),
        Route("/events", events, methods=["GET", "POST"]),
        Route("/huge", huge),
        Route("/zipped", zipped),
        Route("/nothing", nothing),
        Route("/books", books),
        Route("/login", login),
    ]
)
