"""Takes every step with a client of either SDK; see ../programs/walk.ts."""

import json
import os
import sys

import anyio

CAPITAL = "Paris"
ROOT = "file:///home/ada"
STEP_S = 5
NOTE_S = 3
POLL_S = 0.02
URL, NAME = sys.argv[1:3]
PREFIX = sys.argv[3] if len(sys.argv) > 3 else ""


def call_of(tool, args):
    if PREFIX == "":
        return tool, args
    return "call_tool", {"name": PREFIX + tool, "arguments": args}


def is_own(logger):
    """Whether the server has logged the line: through Pegboard, lines of others arrive as well, and name their server."""
    return PREFIX == "" or (logger or "").startswith(NAME)


def text_of(result, is_error):
    said = getattr(result.content[0], "text", "None") if result.content else "None"
    return f"error: {said}" if is_error else said


async def first(notes):
    with anyio.move_on_after(NOTE_S):
        while not notes:
            await anyio.sleep(POLL_S)
    return notes[0] if notes else "nothing came"


async def take_steps(client, seen):
    """@param client has a method for each step; is_error and structured read members of a result"""

    async def step(title, take):
        seen[title] = "failed: nothing came"
        try:
            with anyio.move_on_after(STEP_S):
                seen[title] = await take()
        except Exception as error:
            seen[title] = f"failed: {error}"

    async def told(tool, args={}):
        result = await client.call(tool, args)
        return text_of(result, client.is_error(result))

    async def image():
        item = (await client.call("image", {})).content[0]
        return f"{client.mime_of(item)} {len(item.data)}"

    async def structured():
        return json.dumps(client.structured(await client.call("structured", {"a": 2, "b": 3})), separators=(",", ":"))

    async def bad():
        try:
            result = await client.call("echo", {"message": {"no": "text"}})
        except Exception:
            return "refused"
        return "refused" if client.is_error(result) else "accepted"

    async def progress():
        updates = []

        async def on_progress(progress, total, message):
            updates.append(f"{progress:g}/{total or 0:g}")

        await client.call("slow", {}, on_progress)
        return " ".join(updates)

    async def logging():
        try:
            await client.set_level("info")
        except Exception:
            pass  # Servers that do not let the level be set log anyway.
        await client.call("log", {})
        return await first(client.logged)

    async def cancel():
        before = int(await told("cancelled"))
        await client.cancel("wait")
        with anyio.move_on_after(NOTE_S):
            while True:
                after = int(await told("cancelled"))
                if after > before:
                    return f"{after - before} reached it"
                await anyio.sleep(POLL_S)
        return "nothing reached it"

    async def subscribe():
        await client.subscribe(f"note://{NAME}/one")
        await client.call("touch", {})
        return await first(client.updated)

    async def ping():
        await client.ping()
        return "answered"

    seen["initialize"] = "connected"
    await step("text", lambda: told("echo", {"message": "there"}))
    await step("image", image)
    await step("structured", structured)
    await step("isError", lambda: told("fail"))
    await step("bad arguments", bad)
    await step("progress", progress)
    await step("logging", logging)
    await step("elicitation", lambda: told("elicit"))
    await step("sampling", lambda: told("sample"))
    await step("roots", lambda: told("roots"))
    await step("cancel", cancel)
    await step("read", lambda: client.read(f"note://{NAME}/one"))
    await step("template", lambda: client.read(f"note://{NAME}/item/7"))
    await step("subscribe", subscribe)
    await step("prompt", lambda: client.prompt(PREFIX + "greet", {"who": "Ada"}))
    await step("completion", lambda: client.complete(PREFIX + "greet", {"name": "who", "value": "A"}))
    await step("ping", ping)


def show(seen):
    """Prints what was seen, and ends the process."""
    sys.stdout.write(json.dumps(seen))
    sys.stdout.flush()
    os._exit(0)
