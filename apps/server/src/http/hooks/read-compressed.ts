import { PassThrough } from "node:stream";
import { createGunzip, createInflate } from "node:zlib";
import { Refusal } from "@muster/protocol";
import type { preParsingHookHandler } from "fastify";

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
  const inflater = encoding === "gzip" ? createGunzip() : createInflate();
  // A stream of its own, because the error of the inflater cannot be replaced by a refusal.
  const inflated = Object.assign(new PassThrough(), { receivedEncodedLength: 0 });
  payload.on("data", (chunk: Buffer) => {
    inflated.receivedEncodedLength += chunk.length;
  });
  payload.on("error", (error) => inflater.destroy(error));
  inflater.on("error", (error: NodeJS.ErrnoException) => {
    const isUnreadable = error.code?.startsWith("Z_");
    inflated.destroy(isUnreadable ? new Refusal("bad_request", "The body does not decompress.") : error);
  });
  // Nobody listens any more once the body was refused for its size, and an error without a listener ends the process.
  inflated.on("error", () => {});
  // The length on the wire is not the length that is read.
  delete request.headers["content-length"];
  done(null, payload.pipe(inflater).pipe(inflated));
};
