"""A server of FastMCP, on Python's mcp 2.x; see ../programs/offer.ts for its arguments."""

import base64
import os
import sys
from dataclasses import dataclass

import anyio
from fastmcp import Context, FastMCP
from fastmcp.utilities.types import Image
from mcp_types import Completion, SamplingMessage, TextContent

TRANSPORT, NAME, REDEPLOYED = sys.argv[1:4]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
NOTE = f"note://{NAME}/one"
mcp = FastMCP("fastmcp")
cancelled_calls = 0


@dataclass
class Sum:
    sum: int


@dataclass
class Person:
    name: str


@mcp.tool
def echo(message: str) -> str:
    return f"Echo: {message}"


@mcp.tool
def image() -> Image:
    return Image(data=PIXEL, format="png")


@mcp.tool
def structured(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@mcp.tool
def fail() -> str:
    raise ValueError("it failed")


@mcp.tool
async def slow(ctx: Context) -> str:
    for step in range(1, 4):
        await anyio.sleep(0.05)
        await ctx.report_progress(step, 3)
    return "done"


@mcp.tool
async def wait() -> str:
    global cancelled_calls
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        cancelled_calls += 1
        raise
    return "waited"


@mcp.tool
def cancelled() -> str:
    return str(cancelled_calls)


@mcp.tool
async def log(ctx: Context) -> str:
    await ctx.info("hello")
    return "logged"


@mcp.tool
async def elicit(ctx: Context) -> str:
    answer = await ctx.elicit("Who?", Person)
    return f"{answer.action} {answer.data.name}"


@mcp.tool
async def sample(ctx: Context) -> str:
    question = SamplingMessage(role="user", content=TextContent(type="text", text="Capital?"))
    answer = await ctx.session.create_message([question], max_tokens=10, related_request_id=ctx.request_id)
    return answer.content.text


@mcp.tool
async def roots(ctx: Context) -> str:
    listed = await ctx.session.list_roots()
    return " ".join(str(root.uri) for root in listed.roots)


@mcp.tool
async def touch(ctx: Context) -> str:
    await ctx.session.send_resource_updated(NOTE)
    return "touched"


@mcp.tool
def grow() -> str:
    mcp.tool(bye)
    return "grown"


def bye() -> str:
    return "Bye"


@mcp.resource(NOTE)
def one() -> str:
    return "the note"


@mcp.resource(f"note://{NAME}/item/{{id}}")
def item(id: str) -> str:
    return f"item {id}"


@mcp.prompt
def greet(who: str) -> str:
    return f"Greet {who}"


@mcp.completion
def complete(ref, argument, context):
    return Completion(values=[one for one in ("Ada", "Alan", "Grace") if one.startswith(argument.value)])


if os.path.exists(REDEPLOYED):
    mcp.tool(bye)
if TRANSPORT == "stdio":
    mcp.run(show_banner=False)
else:
    mcp.run(transport="http", host="127.0.0.1", port=int(TRANSPORT), show_banner=False)
