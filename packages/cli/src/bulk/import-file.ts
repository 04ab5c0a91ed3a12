import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { foreignFile, isGzip } from "@muster/protocol";
import type { Api } from "../api.js";
import type { CommandContext } from "../command-context.js";
import { usageFailure } from "../failure.js";
import { upload } from "./upload.js";

/** A file that the server has, or can fetch. */
export interface ImportFile {
  /** The address for the server. */
  url: string;
  /** How messages call it. */
  name: string;
  /** Its first bytes; none when the server fetches it. */
  beginning: Uint8Array;
}

/** Uploads a file of this machine or standard input. An address of the web is left to the server. */
export async function provideFile(api: Api, given: string, context: CommandContext): Promise<ImportFile> {
  if (/^https?:/.test(given)) return { url: given, name: given, beginning: new Uint8Array() };
  const name = given === "-" ? "standard input" : basename(given);
  const size = given === "-" ? 0 : await sizeOf(given);
  const content = given === "-" ? context.stdin : createReadStream(given);
  const { beginning, all } = await peek(content as AsyncIterable<Uint8Array>);
  const foreign = foreignFile(beginning);
  if (foreign !== undefined) {
    throw usageFailure(`${name} is ${foreign}. Give JSON or CSV in UTF-8, plain or compressed with gzip.`);
  }
  if (isGzip(beginning) && given !== "-" && !/\.gz$/i.test(name)) {
    context.warn(`${name} is compressed with gzip, and is read as such.`);
  }
  const url = await upload(api, all, (bytes) => {
    // The size of a pipe is not known.
    if (size > 0) context.progress(`uploading ${Math.floor((100 * bytes) / size)} %`);
  });
  return { url, name, beginning };
}

async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch(() => {
    throw usageFailure(`There is no file ${file}.`);
  });
  if (found.isDirectory()) throw usageFailure(`${file} is a folder.`);
  return found.size;
}

/** The first piece of a stream, and the whole stream. */
async function peek(
  content: AsyncIterable<Uint8Array>,
): Promise<{ beginning: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const pieces = content[Symbol.asyncIterator]();
  const first = await pieces.next();
  const beginning = first.done ? new Uint8Array() : first.value;
  async function* all() {
    yield beginning;
    for (let next = await pieces.next(); !next.done; next = await pieces.next()) yield next.value;
  }
  return { beginning, all: all() };
}
