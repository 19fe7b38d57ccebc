"""A server of Python's mcp 1.x; see ../programs/offer.ts for its arguments."""

import base64
import os
import sys

import anyio
from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.types import Completion, SamplingMessage, TextContent
from pydantic import AnyUrl, BaseModel

TRANSPORT, NAME, REDEPLOYED = sys.argv[1:4]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
NOTE = f"note://{NAME}/one"
PORT = 0 if TRANSPORT == "stdio" else int(TRANSPORT)
mcp = FastMCP("py1", host="127.0.0.1", port=PORT)
cancelled_calls = 0


class Sum(BaseModel):
    sum: int


class Person(BaseModel):
    name: str


@mcp.tool()
def echo(message: str) -> str:
    return f"Echo: {message}"


@mcp.tool()
def image() -> Image:
    return Image(data=PIXEL, format="png")


@mcp.tool()
def structured(a: int, b: int) -> Sum:
    return Sum(sum=a + b)


@mcp.tool()
def fail() -> str:
    raise ValueError("it failed")


@mcp.tool()
async def slow(ctx: Context) -> str:
    for step in range(1, 4):
        await anyio.sleep(0.05)
        await ctx.report_progress(step, 3)
    return "done"


@mcp.tool()
async def wait() -> str:
    global cancelled_calls
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        cancelled_calls += 1
        raise
    return "waited"


@mcp.tool()
def cancelled() -> str:
    return str(cancelled_calls)


@mcp.tool()
async def log(ctx: Context) -> str:
    await ctx.info("hello")
    return "logged"


@mcp.tool()
async def elicit(ctx: Context) -> str:
    answer = await ctx.elicit("Who?", Person)
    return f"{answer.action} {answer.data.name}"


@mcp.tool()
async def sample(ctx: Context) -> str:
    question = SamplingMessage(role="user", content=TextContent(type="text", text="Capital?"))
    answer = await ctx.session.create_message([question], max_tokens=10, related_request_id=ctx.request_id)
    return answer.content.text


@mcp.tool()
async def roots(ctx: Context) -> str:
    listed = await ctx.session.list_roots()
    return " ".join(str(root.uri) for root in listed.roots)


@mcp.tool()
async def touch(ctx: Context) -> str:
    await ctx.session.send_resource_updated(AnyUrl(NOTE))
    return "touched"


@mcp.tool()
async def grow(ctx: Context) -> str:
    mcp.add_tool(bye)
    await ctx.session.send_tool_list_changed()
    return "grown"


def bye() -> str:
    return "Bye"


@mcp.resource(NOTE)
def one() -> str:
    return "the note"


@mcp.resource(f"note://{NAME}/item/{{id}}")
def item(id: str) -> str:
    return f"item {id}"


@mcp.prompt()
def greet(who: str) -> str:
    return f"Greet {who}"


@mcp.completion()
async def complete(ref, argument, context):
    return Completion(values=[one for one in ("Ada", "Alan", "Grace") if one.startswith(argument.value)])


@mcp._mcp_server.subscribe_resource()
async def subscribe(uri: AnyUrl) -> None:
    pass


@mcp._mcp_server.unsubscribe_resource()
async def unsubscribe(uri: AnyUrl) -> None:
    pass


if os.path.exists(REDEPLOYED):
    mcp.add_tool(bye)
mcp.run("stdio" if TRANSPORT == "stdio" else "streamable-http")
