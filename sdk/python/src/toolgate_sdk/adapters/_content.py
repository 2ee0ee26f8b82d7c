"""What a model gets to see of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolgate.v1.call_pb2 import BlobBlock

    from toolgate_sdk._calls import Result
    from toolgate_sdk._errors import ToolCallError

IMAGES = {"image/gif", "image/jpeg", "image/png", "image/webp"}
"""What the models' APIs take; of other blobs the model is told that they came."""


def told(error: ToolCallError) -> str:
    """Tell of a failure in the gateway's words; nothing at all would read as a success."""
    return error.observation or str(error)


def shown(result: Result) -> tuple[str, list[BlobBlock]]:
    """Part an answer into its text and its images."""
    lines, images = [result.text] if result.text else [], []
    for block in result.proto.content:
        kind = block.WhichOneof("block")
        blob = block.audio if kind == "audio" else block.image
        if kind == "image" and blob.mime_type in IMAGES:
            images.append(blob)
        elif kind in ("image", "audio"):
            lines.append(f"[{blob.mime_type}, {len(blob.data)} bytes]")
        elif kind == "resource":
            lines.append(block.resource.text or f"[{block.resource.uri}]")
    return "\n".join(lines), images
