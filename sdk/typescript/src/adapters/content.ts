import type { BlobBlock } from "toolgate-proto/toolgate/v1/call_pb";

import type { Result } from "../call.js";

/** An image as the frameworks take it. */
export interface Image {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

/** What the models' APIs take; of other blobs the model is told that they came. */
const IMAGES = new Set(["image/gif", "image/jpeg", "image/png", "image/webp"]);

/** Parts an answer into what a model reads of it and what it sees. */
export function shown(result: Result): { text: string; images: Image[] } {
  const lines = result.text === "" ? [] : [result.text];
  const images: Image[] = [];
  for (const { block } of result.proto.content) {
    if (block.case === "image" && IMAGES.has(block.value.mimeType)) images.push(imageOf(block.value));
    else if (block.case === "image" || block.case === "audio")
      lines.push(`[${block.value.mimeType}, ${block.value.data.length.toString()} bytes]`);
    else if (block.case === "resource") lines.push(block.value.text || `[${block.value.uri}]`);
  }
  return { text: lines.join("\n"), images };
}

/** The text beside images, where there is any: the models' APIs take none that is empty. */
export function textsOf({ text }: { readonly text: string }): string[] {
  return text === "" ? [] : [text];
}

function imageOf({ mimeType, data }: BlobBlock): Image {
  return { mediaType: mimeType, data: Buffer.from(data).toString("base64") };
}
