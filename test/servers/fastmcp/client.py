"""A client of FastMCP that takes every step once; see ../programs/ts1Client.ts for its arguments and output."""

import asyncio
import json
import os
import sys

import mcp_types as types
from fastmcp import Client
from fastmcp.client.messages import MessageHandler
from mcp.client.subscriptions import listen

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "python"))
from walk import CAPITAL, ROOT, URL, call_of, is_own, show, take_steps  # noqa: E402


class Walker(MessageHandler):
    def __init__(self):
        self.logged = []
        self.updated = []
        self.client = Client(
            URL,
            roots=[ROOT],
            sampling_handler=self.sample,
            elicitation_handler=self.elicit,
            log_handler=self.log,
            message_handler=self,
        )

    async def elicit(self, message, response_type, params, context):
        return {"name": "Ada"}

    async def sample(self, messages, params, context):
        return CAPITAL

    async def log(self, message):
        if is_own(message.logger):
            self.logged.append(f"{message.level} {json.dumps(message.data)}")

    async def on_resource_updated(self, message):
        self.updated.append(str(message.params.uri))

    def call(self, tool, args, progress=None):
        name, arguments = call_of(tool, args)
        return self.client.call_tool(name, arguments, progress_handler=progress, raise_on_error=False)

    async def cancel(self, tool):
        calling = asyncio.ensure_future(self.call(tool, {}))
        await asyncio.sleep(0.2)
        calling.cancel()

    def is_error(self, result):
        return result.is_error

    def structured(self, result):
        return result.structured_content

    def mime_of(self, item):
        return item.mime_type

    def set_level(self, level):
        return self.client.set_logging_level(level)

    async def read(self, uri):
        return (await self.client.read_resource(uri))[0].text

    def is_modern(self):
        return self.client.session.protocol_version == "2026-07-28"

    async def subscribe(self, uri):
        if not self.is_modern():
            return await self.client.session.subscribe_resource(uri)
        acknowledged = asyncio.Event()
        self.listening = asyncio.ensure_future(self.listen(uri, acknowledged))
        waiting = asyncio.ensure_future(acknowledged.wait())
        done, _ = await asyncio.wait([self.listening, waiting], return_when=asyncio.FIRST_COMPLETED)
        if self.listening in done:
            self.listening.result()

    async def listen(self, uri, acknowledged):
        async with listen(self.client.session, resource_subscriptions=[uri]) as events:
            acknowledged.set()
            async for event in events:
                self.updated.append(event.uri)

    async def prompt(self, name, args):
        return (await self.client.get_prompt(name, args)).messages[0].content.text

    async def complete(self, prompt, argument):
        return " ".join((await self.client.complete(types.PromptReference(name=prompt), argument)).values)

    async def ping(self):
        if self.is_modern():
            await self.client.session.send_discover("2026-07-28")
        elif not await self.client.ping():
            raise RuntimeError("no answer")


async def main():
    walker = Walker()
    seen = {"initialize": "failed"}
    try:
        async with walker.client:
            await take_steps(walker, seen)
        seen["end"] = "ended"
    except Exception as error:
        seen.setdefault("end", f"failed: {error}")
    show(seen)


asyncio.run(main())
