import { open, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { AwsClient } from "aws4fetch";
import type { FileStore } from "./file-store.js";

export interface S3Options {
  /** The address of the service, for example `https://s3.eu-west-1.amazonaws.com`. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

// S3 accepts parts of 5 MB to 5 GB, at most 10,000 of them. Parts of 16 MB allow files of 160 GB. One is in memory.
const PART_BYTES = 16 * 1024 * 1024;
const RETRIES = 4;

/** Stores files in an S3-compatible bucket. */
export function createS3Files(options: S3Options): FileStore {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = options;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: "s3", retries: RETRIES });
  const addressOf = (key: string, query = "") => `${endpoint.replace(/\/+$/, "")}/${bucket}/${key}${query}`;

  const call = async (act: string, url: string, init: RequestInit): Promise<Response> => {
    const answer = await client.fetch(url, init);
    if (answer.ok) return answer;
    const reason = await answer.text();
    throw new Error(`The bucket did not ${act}: it answered ${answer.status}. ${reason.slice(0, 500)}`);
  };

  return {
    async keep(key, path) {
      const begun = await call("begin an upload", addressOf(key, "?uploads"), { method: "POST" });
      const uploadId = readTag(await begun.text(), "UploadId");
      const query = (part: string) => `?${part}uploadId=${encodeURIComponent(uploadId)}`;
      try {
        const tags: string[] = [];
        for await (const [index, part] of partsOf(path)) {
          const url = addressOf(key, query(`partNumber=${index}&`));
          const answer = await call("take a part", url, { method: "PUT", body: part });
          tags.push(answer.headers.get("etag") ?? "");
        }
        const finish = { method: "POST", body: completion(tags) };
        const answer = await call("finish an upload", addressOf(key, query("")), finish);
        // S3 may report a failure in the body of an answer with status 200.
        const body = await answer.text();
        if (body.includes("<Error>")) throw new Error(`The bucket did not finish an upload: ${body.slice(0, 500)}`);
      } catch (error) {
        await call("drop an upload", addressOf(key, query("")), { method: "DELETE" }).catch(() => undefined);
        throw error;
      }
      await rm(path);
    },
    async read(key, range) {
      const init = range ? { headers: { range: `bytes=${range.start}-${range.end}` } } : {};
      const answer = await client.fetch(addressOf(key), init);
      if (answer.status === 404) return undefined;
      if (!answer.ok || !answer.body) throw new Error(`The bucket did not give a file: it answered ${answer.status}.`);
      // Node declares its own type for web streams, which is not assignable to the one that fetch declares.
      return Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
    },
    async remove(key) {
      await call("remove a file", addressOf(key), { method: "DELETE" }).catch((error: unknown) => {
        // Some services answer 404 when the file does not exist.
        if (!(error instanceof Error && error.message.includes("<Code>NoSuchKey</Code>"))) throw error;
      });
    },
  };
}

/** The parts of a file with their numbers, from 1. An empty file has one empty part. */
async function* partsOf(path: string): AsyncGenerator<[number, Uint8Array<ArrayBuffer>]> {
  const file = await open(path);
  try {
    for (let index = 1; ; index++) {
      const part = new Uint8Array(PART_BYTES);
      const { bytesRead } = await file.read(part, 0, PART_BYTES);
      if (bytesRead === 0 && index > 1) return;
      yield [index, part.subarray(0, bytesRead)];
      if (bytesRead < PART_BYTES) return;
    }
  } finally {
    await file.close();
  }
}

function completion(tags: readonly string[]): string {
  const parts = tags.map((tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`);
  return `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`;
}

function readTag(xml: string, name: string): string {
  const found = new RegExp(`<${name}>([^<]+)</${name}>`).exec(xml)?.[1];
  if (found === undefined) throw new Error(`The bucket's answer has no ${name}.`);
  return found;
}
