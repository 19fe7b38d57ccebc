"""A client of Python's mcp 1.x that takes every step once; see ../programs/ts1Client.ts for its arguments and output."""

import json

import anyio
import mcp.types as types
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from pydantic import AnyUrl
from walk import CAPITAL, ROOT, URL, call_of, is_own, show, take_steps


class Walker:
    def __init__(self):
        self.logged = []
        self.updated = []
        self.session = None

    async def elicit(self, context, params):
        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def sample(self, context, params):
        content = types.TextContent(type="text", text=CAPITAL)
        return types.CreateMessageResult(role="assistant", model="scripted", content=content)

    async def roots(self, context):
        return types.ListRootsResult(roots=[types.Root(uri=ROOT)])

    async def log(self, params):
        if is_own(params.logger):
            self.logged.append(f"{params.level} {json.dumps(params.data)}")

    async def message(self, message):
        note = getattr(message, "root", None)
        if isinstance(note, types.ResourceUpdatedNotification):
            self.updated.append(str(note.params.uri))

    async def call(self, tool, args, progress=None):
        name, arguments = call_of(tool, args)
        return await self.session.call_tool(name, arguments, progress_callback=progress)

    async def cancel(self, tool):
        """The SDK has no method for it: a call with a time limit ends with no message to the server."""
        asked = self.session._request_id
        with anyio.move_on_after(0.2):
            await self.call(tool, {})
        params = types.CancelledNotificationParams(requestId=asked, reason="enough")
        note = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(note))

    def is_error(self, result):
        return result.isError

    def structured(self, result):
        return result.structuredContent

    def mime_of(self, item):
        return item.mimeType

    def set_level(self, level):
        return self.session.set_logging_level(level)

    async def read(self, uri):
        return (await self.session.read_resource(AnyUrl(uri))).contents[0].text

    def subscribe(self, uri):
        return self.session.subscribe_resource(AnyUrl(uri))

    async def prompt(self, name, args):
        return (await self.session.get_prompt(name, args)).messages[0].content.text

    async def complete(self, prompt, argument):
        ref = types.PromptReference(type="ref/prompt", name=prompt)
        return " ".join((await self.session.complete(ref, argument)).completion.values)

    def ping(self):
        return self.session.send_ping()


async def main():
    walker = Walker()
    seen = {"initialize": "failed"}
    try:
        async with streamable_http_client(URL) as (reading, writing, _):
            async with ClientSession(
                reading,
                writing,
                sampling_callback=walker.sample,
                elicitation_callback=walker.elicit,
                list_roots_callback=walker.roots,
                logging_callback=walker.log,
                message_handler=walker.message,
            ) as walker.session:
                await walker.session.initialize()
                await take_steps(walker, seen)
        seen["end"] = "ended"
    except Exception as error:
        seen.setdefault("end", f"failed: {error}")
    show(seen)


anyio.run(main)
