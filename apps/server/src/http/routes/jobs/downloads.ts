import { Readable } from "node:stream";
import { constants, createGzip } from "node:zlib";
import { Refusal } from "@muster/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import type { Job } from "../../../domain/jobs/job.js";
import type { Jobs } from "../../../jobs/jobs.js";
import { extractFileKey, extractFileName, REJECTED_FILE } from "../../../jobs/runner/job-files.js";
import type { Database } from "../../../storage/postgres/database.js";
import { readRejectedLines } from "../../../storage/postgres/jobs/job-rejections.js";
import { findJob } from "../../../storage/postgres/jobs/jobs.js";
import type { App } from "../../app-type.js";
import { readRange } from "./byte-range.js";

export interface DownloadRoutesOptions {
  database: Database;
  jobs: Jobs;
}

const Params = Type.Object({ organization: Type.String(), job: Type.String(), file: Type.String() });
const Query = Type.Object({
  expires: Type.Integer({ description: "Unix seconds." }),
  signature: Type.String(),
  gzip: Type.Boolean({ default: false, description: "Compress the file, whatever Accept-Encoding says." }),
});

/** Files of jobs, for whoever has a signed address: by GET, or by POST as some clients do. */
export function downloadRoutes(app: App, { database, jobs }: DownloadRoutesOptions): void {
  // Whatever a POST carries, it is not needed.
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
      description: "Takes a range of bytes; compresses on the way when asked.",
      params: Params,
      querystring: Query,
    },
    handler: async (request, reply) => {
      const { organization: organizationId, job: jobId, file } = request.params;
      const { expires, signature, gzip } = request.query;
      if (!jobs.links.check({ organizationId, jobId, file }, expires, signature, Date.now())) {
        throw new Refusal("forbidden", "The address is not a valid download address, or it has expired.");
      }
      const job = await findJob(database, organizationId, jobId);
      if (!job) throw gone();
      reply.header("content-disposition", `attachment; filename="${file}"`);
      reply.header("cache-control", "private, no-transform");
      reply.header("vary", "accept-encoding");
      const isCompressed = gzip || acceptsGzip(request);
      if (file === REJECTED_FILE) {
        reply.type("application/x-ndjson");
        return send(reply, Readable.from(rejectedText(database, job)), isCompressed);
      }
      if (!job.file || file !== extractFileName(job)) throw gone();
      reply.type(file.endsWith(".csv") ? "text/csv; charset=utf-8" : "application/x-ndjson");
      return sendFile(request, reply, job, job.file.bytes, isCompressed);
    },
  });

  async function sendFile(
    request: FastifyRequest,
    reply: FastifyReply,
    job: Job,
    size: number,
    isCompressed: boolean,
  ): Promise<FastifyReply> {
    const tag = `"${job.id}"`;
    reply.header("accept-ranges", "bytes");
    reply.header("etag", tag);
    const condition = request.headers["if-range"];
    const range = condition === undefined || condition === tag ? readRange(request.headers.range, size) : undefined;
    if (range === "none") {
      return reply.status(416).header("content-range", `bytes */${size}`).send();
    }
    const content = await jobs.files.read(extractFileKey(job), range);
    if (!content) throw gone();
    if (range) {
      reply.status(206).header("content-range", `bytes ${range.start}-${range.end}/${size}`);
      return reply.header("content-length", range.end - range.start + 1).send(content);
    }
    if (!isCompressed) reply.header("content-length", size);
    return send(reply, content, isCompressed);
  }
}

function send(reply: FastifyReply, content: Readable, isCompressed: boolean): FastifyReply {
  if (!isCompressed) return reply.send(content);
  // Level 1 keeps up with a fast network; the rest of the ratio is not worth four times the work.
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  content.on("error", (error) => gzip.destroy(error));
  return reply.header("content-encoding", "gzip").send(content.pipe(gzip));
}

async function* rejectedText(database: Database, { organizationId, id }: Job): AsyncGenerator<string> {
  for await (const page of readRejectedLines(database, organizationId, id)) {
    yield page.map((line) => `${JSON.stringify(line)}\n`).join("");
  }
}

function acceptsGzip({ headers }: FastifyRequest): boolean {
  const accepted = String(headers["accept-encoding"] ?? "");
  return /(^|[,\s])gzip(?!\s*;\s*q=0(\.0+)?\s*(,|$))/i.test(accepted);
}

function gone(): Refusal {
  return new Refusal("not_found", "The file is not there, or not any more.");
}
