import { createGunzip, createInflate } from "node:zlib";
import { Refusal } from "@muster/protocol";
import type { preParsingHookHandler } from "fastify";

// The stream makes these errors itself, so they cannot be refusals from the start.
const undecompressed = new WeakSet<object>();

/** Whether an error says that the body of a request does not decompress. */
export function doesNotDecompress(error: unknown): boolean {
  return error instanceof Error && undecompressed.has(error);
}

/** Lets a route take gzip and deflate bodies. What counts for the body limit is the size after decompression. */
export const readCompressed: preParsingHookHandler = (request, _reply, payload, done) => {
  const encoding = request.headers["content-encoding"]?.toLowerCase();
  if (encoding === undefined || encoding === "identity") {
    done(null, payload);
    return;
  }
  if (encoding !== "gzip" && encoding !== "deflate") {
    done(
      new Refusal("unsupported_media_type", `The content encoding "${encoding}" is not known; use gzip or deflate.`),
    );
    return;
  }
  const inflater = Object.assign(encoding === "gzip" ? createGunzip() : createInflate(), { receivedEncodedLength: 0 });
  payload.on("data", (chunk: Buffer) => {
    inflater.receivedEncodedLength += chunk.length;
  });
  payload.on("error", (error) => inflater.destroy(error));
  inflater.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith("Z_")) undecompressed.add(error);
  });
  // The length on the wire is not the length that is read.
  delete request.headers["content-length"];
  done(null, payload.pipe(inflater));
};
