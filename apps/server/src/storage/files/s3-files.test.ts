// @module-tag long
import { createHash } from "node:crypto";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startWebServer, type WebServer } from "../../../../../testing/start-web-server.js";
import { download, runJob } from "../../testing/bulk.js";
import { withTestServer } from "../../testing/test-server.js";
import { createS3Files, type S3Options } from "./s3-files.js";

/** An S3-compatible service in memory, with only those operations that `createS3Files` uses. */
class FakeS3 {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Map<number, Buffer>>();
  readonly refused: string[] = [];
  /** Answers this many requests with 503 first. */
  failures = 0;
  web!: WebServer;

  async start(): Promise<void> {
    this.web = await startWebServer(async (request, response) => {
      const body = await buffer(request);
      if (this.failures > 0) {
        this.failures -= 1;
        response.writeHead(503).end();
        return;
      }
      if (
        !/^AWS4-HMAC-SHA256 Credential=the-key\/\d{8}\/eu-west-1\/s3\/aws4_request, /.test(
          request.headers.authorization ?? "",
        )
      ) {
        this.refused.push(request.url ?? "");
        response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
        return;
      }
      const { pathname, searchParams } = new URL(request.url ?? "", "http://s3");
      const {
        status,
        headers = {},
        content = "",
      } = this.#answer(request.method ?? "", pathname, searchParams, body, request.headers.range);
      response.writeHead(status, headers).end(content);
    });
  }

  #answer(method: string, path: string, query: URLSearchParams, body: Buffer, range: string | undefined) {
    const uploadId = query.get("uploadId") ?? "";
    const parts = this.uploads.get(uploadId);
    if (method === "POST" && query.has("uploads")) {
      const id = `upload/${this.uploads.size}+=`;
      this.uploads.set(id, new Map());
      return { status: 200, content: `<Result><UploadId>${id}</UploadId></Result>` };
    }
    if (method === "PUT" && parts) {
      parts.set(Number(query.get("partNumber")), body);
      return { status: 200, headers: { etag: `"${tagOf(body)}"` } };
    }
    if (method === "POST" && parts) {
      const listed = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>"(\w+)"<\/ETag>/g)];
      const content = listed.map(([, number, tag]) => {
        const part = parts.get(Number(number));
        return part && tagOf(part) === tag ? part : Buffer.from("WRONG PART");
      });
      this.objects.set(path, Buffer.concat(content));
      this.uploads.delete(uploadId);
      return { status: 200, content: "<Result/>" };
    }
    if (method === "DELETE") {
      const isFound = uploadId ? this.uploads.delete(uploadId) : this.objects.delete(path);
      // S3 itself answers 204 in both cases, other services do not.
      return isFound ? { status: 204 } : { status: 404, content: "<Error><Code>NoSuchKey</Code></Error>" };
    }
    const object = this.objects.get(path);
    if (!object) return { status: 404 };
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
    if (start === undefined) return { status: 200, content: object };
    return { status: 206, content: object.subarray(Number(start), Number(end) + 1) };
  }
}

function tagOf(content: Buffer): string {
  return createHash("md5").update(content).digest("hex");
}

const s3 = new FakeS3();
let folder: string;
let options: S3Options;
beforeAll(async () => {
  await s3.start();
  folder = await mkdtemp(join(tmpdir(), "muster-test-"));
  options = {
    endpoint: s3.web.url,
    bucket: "files",
    region: "eu-west-1",
    accessKeyId: "the-key",
    secretAccessKey: "the-secret",
  };
});
afterAll(async () => {
  await s3.web.close();
  await rm(folder, { recursive: true, force: true });
});

async function keep(key: string, content: Buffer): Promise<void> {
  const path = join(folder, "file");
  await writeFile(path, content);
  await createS3Files(options).keep(key, path);
  await expect(stat(path)).rejects.toThrow("ENOENT");
}

test("a file of several parts is stored whole, and can be read whole or in part", async () => {
  const content = Buffer.alloc(40 * 1024 * 1024, "0123456789");
  await keep("a/large.json", content);
  const files = createS3Files(options);
  const whole = await files.read("a/large.json");
  expect(whole && tagOf(await buffer(whole))).toBe(tagOf(content));
  const part = await files.read("a/large.json", { start: 7, end: 11 });
  expect(part && (await buffer(part)).toString()).toBe("78901");
  expect(s3.uploads.size).toBe(0);
});

test("an empty file can be stored", async () => {
  await keep("a/empty.json", Buffer.alloc(0));
  expect(s3.objects.get("/files/a/empty.json")).toHaveLength(0);
});

test("a request that the service answers with 503 is repeated", async () => {
  s3.failures = 2;
  await keep("a/stumbled.json", Buffer.from("content"));
  expect(s3.objects.get("/files/a/stumbled.json")?.toString()).toBe("content");
});

test("removing a file that does not exist changes nothing", async () => {
  await createS3Files(options).remove("a/missing.json");
});

test("a file that was removed is not found", async () => {
  await keep("a/gone.json", Buffer.from("content"));
  const files = createS3Files(options);
  await files.remove("a/gone.json");
  expect(await files.read("a/gone.json")).toBeUndefined();
});

test("the error about a refused upload contains the answer of the service, and the local file stays", async () => {
  const path = join(folder, "refused");
  await writeFile(path, "content");
  const files = createS3Files({ ...options, accessKeyId: "another-key" });
  await expect(files.keep("a/refused.json", path)).rejects.toThrow(/answered 403.*AccessDenied/);
  expect((await stat(path)).size).toBe(7);
});

test("a server with a bucket stores extracts there, and they are downloaded through the server", async () => {
  const environment = {
    S3_ENDPOINT: s3.web.url,
    S3_BUCKET: "files",
    S3_REGION: "eu-west-1",
    S3_ACCESS_KEY_ID: "the-key",
    S3_SECRET_ACCESS_KEY: "the-secret",
  };
  await withTestServer(environment, async (server) => {
    const job = await runJob(server, "/extract/users", { url: null, format: "csv", fields: ["email"], query: {} });
    expect([...s3.objects.keys()].filter((key) => key.endsWith(`/${job.id}/users.csv`))).toHaveLength(1);
    expect(await download(server, job.download_url)).toBe('"email"\r\n');
    const { pathname, search } = new URL(job.download_url ?? "");
    const part = await server.app.inject({ url: pathname + search, headers: { range: "bytes=1-5" } });
    expect(part).toMatchObject({ statusCode: 206, body: "email" });
  });
});
