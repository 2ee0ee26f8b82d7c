"""Drives an MCP server with the official client in Python and writes one JSON line
for each check. The arguments are a connection mode (`legacy`, or `auto` for the
newest version) and a URL or a command."""

import asyncio
import json
import os
import sys
import time
import traceback

from mcp import Client, MCPError, StdioServerParameters


async def check(name, run):
    fault = ""
    try:
        await run()
    except Exception:
        fault = traceback.format_exc()
    print(json.dumps({"name": name, "fault": fault}), flush=True)


def expect(condition, found):
    if not condition:
        raise AssertionError(f"found {found}")


def failed(result, cls):
    """Returns what a model reads of a failed call."""
    expect(result.is_error and len(result.content) == 1 and result.structured_content is None, result)
    observation = json.loads(result.content[0].text)
    expect(observation["class"] == cls, result)
    whole = result.meta["dev.toolgate/error"]
    expect(whole["class"] == "ERROR_CLASS_" + cls.upper() and whole["code"] == observation["error"], whole)
    failure = result.meta["io.modelcontextprotocol/toolFailure"]
    named = {"transient": "reliability", "invalid_request": "capability", "terminal": "governance"}[cls]
    expect(failure["class"] == named and failure["retryable"] == (cls == "transient"), failure)
    return observation


async def drive(client):
    async def instructions():
        expect('"terminal": this call is over' in client.instructions, client.instructions)

    async def listing():
        tools = (await client.list_tools()).tools
        names = [tool.name for tool in tools]
        expect(all(name in names for name in ["book_slot", "flaky", "hang", "list_invoices"]), names)
        expect(all(tool.input_schema["type"] == "object" for tool in tools), tools)
        expect(all(tool.description.endswith("terminal stop.") for tool in tools), tools)

    async def success():
        result = await client.call_tool("list_invoices", {"start_date": "03/14/2026"})
        expect(not result.is_error and result.structured_content is None, result)
        expect(json.loads(result.content[0].text), result)

    async def invalid():
        observation = failed(await client.call_tool("list_invoices", {"status": "late"}), "invalid_request")
        expect(observation["field"] == "status" and observation["expected"], observation)

    async def unknown():
        observation = failed(await client.call_tool("list_invoicez", {}), "invalid_request")
        expect(observation["error"] == "unknown_tool" and "list_invoices" in json.dumps(observation), observation)

    async def terminal():
        taken = {"practitioner_id": "p_17", "start": "2026-03-12T14:30:00Z"}
        observation = failed(await client.call_tool("book_slot", taken), "terminal")
        expect(len(observation["alternatives"]) == 3, observation)
        result = await client.call_tool("book_slot", observation["alternatives"][0])
        expect(not result.is_error, result)

    async def transient():
        result = await client.call_tool("down", {})
        expect(failed(result, "transient")["retry_after"] == 300, result)
        until = result.meta["io.modelcontextprotocol/toolFailure"]["retryNotBefore"] / 1000 - time.time()
        expect(200 < until <= 300, until)

    async def progress():
        told = []

        async def tell(step, total, message):
            told.append((step, message))

        result = await client.call_tool("flaky", {}, progress_callback=tell)
        expect(not result.is_error, result)
        expect(len(told) >= 2 and any("attempt 2 of 5 in" in message for _, message in told), told)
        expect([step for step, _ in told] == list(range(1, len(told) + 1)), told)

    async def cancellation():
        task = asyncio.create_task(client.call_tool("hang", {}))
        await asyncio.sleep(0.3)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            pass
        left = await client.call_tool("hung", {})
        expect(json.loads(left.content[0].text)["left"] is True, left)

    async def run():
        name = f"python-{os.getpid()}"
        result = await client.call_tool("list_invoices", {}, meta={"dev.toolgate/run_id": name})
        expect(result.meta["dev.toolgate/run_id"] == name, result.meta)

    async def fault():
        try:
            result = await client.call_tool("list_invoices", {}, meta={"dev.toolgate/run_id": 7})
        except MCPError as error:
            expect(error.error.code == -32602 and error.error.data["reason"] == "META_INVALID", error)
            return
        expect(False, result)

    for name, step in {
        "instructions": instructions,
        "list": listing,
        "success": success,
        "invalid_request": invalid,
        "unknown tool": unknown,
        "terminal, then an alternative": terminal,
        "transient": transient,
        "progress": progress,
        "cancellation": cancellation,
        "run": run,
        "fault of the runtime": fault,
    }.items():
        await check(name, step)


async def main():
    mode, target = sys.argv[1], sys.argv[2:]
    server = target[0]
    if not server.startswith("http"):
        server = StdioServerParameters(command=target[0], args=target[1:])
    async with Client(server, mode=mode) as client:
        await drive(client)


asyncio.run(main())
