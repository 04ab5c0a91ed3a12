import type { Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { JOBS_API } from "@muster/protocol/api/jobs";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Download, Downloads } from "../../../jobs/files/downloads.js";
import type { App } from "../../app-type.js";
import { acceptsGzip } from "../accepts-gzip.js";
import { readRange } from "./byte-range.js";

/**
 * The files of jobs, for every client that has a signed address. Some clients download with POST, so both methods work.
 */
export function downloadRoutes(app: App, downloads: Downloads): void {
  // The body of a POST is not needed, whatever its type is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, payload, done) => {
    payload.resume();
    done(null);
  });

  app.route({
    method: ["GET", "POST"],
    url: "/downloads/:organization/:job/:file",
    config: { access: "open" },
    schema: {
      tags: ["jobs"],
      summary: "Download a file of a job",
      description: "Answers ranges of bytes. Compresses the file when the client accepts gzip.",
      ...JOBS_API["GET /api/v1/downloads/{organization}/{job}/{file}"],
    },
    handler: async (request, reply) => {
      const { organization: organizationId, job: jobId, file } = request.params;
      const { expires, signature, gzip } = request.query;
      const download = await downloads.find({ organizationId, jobId, file }, { expires, signature });
      reply.type(download.contentType);
      reply.header("content-disposition", `attachment; filename="${file}"`);
      reply.header("cache-control", "private, no-transform");
      reply.header("vary", "accept-encoding");
      // The content of a Parquet file is compressed already.
      const isCompressed = gzip || (download.contentType !== "application/vnd.apache.parquet" && acceptsGzip(request));
      return download.stored
        ? sendStored(request, reply, download, download.stored, isCompressed)
        : send(reply, await download.read(), isCompressed);
    },
  });
}

async function sendStored(
  request: FastifyRequest,
  reply: FastifyReply,
  download: Download,
  { bytes, tag }: NonNullable<Download["stored"]>,
  isCompressed: boolean,
): Promise<FastifyReply> {
  reply.header("accept-ranges", "bytes");
  reply.header("etag", tag);
  const condition = request.headers["if-range"];
  const range = condition === undefined || condition === tag ? readRange(request.headers.range, bytes) : undefined;
  if (range === "none") {
    return reply.status(416).header("content-range", `bytes */${bytes}`).send();
  }
  const content = await download.read(range);
  if (range) {
    reply.status(206).header("content-range", `bytes ${range.start}-${range.end}/${bytes}`);
    return reply.header("content-length", range.end - range.start + 1).send(content);
  }
  if (!isCompressed) reply.header("content-length", bytes);
  return send(reply, content, isCompressed);
}

function send(reply: FastifyReply, content: Readable, isCompressed: boolean): FastifyReply {
  if (!isCompressed) return reply.send(content);
  // Level 1 keeps up with a fast network. Higher levels take four times as long and save little.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  content.on("error", (error) => gzip.destroy(error));
  return reply.header("content-encoding", "gzip").send(content.pipe(gzip));
}
