import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type LookupFunction } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createGuardedFetch, type GuardedFetch } from "../../outbound/guarded-fetch.js";
import { OutboundError } from "../../outbound/outbound-error.js";
import { canMount, openSmallDisk, type SmallDisk } from "../../testing/small-disk.js";
import { JobFailure } from "../runner/job-failure.js";
import { ImportFiles } from "./import-files.js";

const MB = 1024 * 1024;
const LEAST_SPEED = { bytes: 1_000, withinMs: 300 };
// Longer than the time of the least speed: silence is no matter of speed, however long it may last.
const IDLE_MS = 400;
const ORG = "0190000000000100000000aa";

// Uploads fetch nothing.
const noFetch: GuardedFetch = () => Promise.reject(new Error("Nothing is fetched here."));

describe.runIf(canMount)("on a disk that becomes full", () => {
  let disk: SmallDisk;
  beforeEach(async () => {
    disk = await openSmallDisk(16 * MB);
  });
  afterEach(() => disk.close());

  test("a part of an upload that does not fit is refused as a whole, and can be sent again", async () => {
    // The reserve is not checked here: another program may take the rest of the disk between the check and the write.
    const files = new ImportFiles({
      runner: "one",
      folder: disk.path,
      fetch: noFetch,
      disk: { require: async () => {} },
      maxBytes: 100 * MB,
    });
    const id = await files.createUpload(ORG);
    expect(await files.appendUpload(ORG, id, 0, Buffer.alloc(MB, "a"))).toBe(MB);
    disk.fill(MB);
    await expect(files.appendUpload(ORG, id, MB, Buffer.alloc(4 * MB, "b"))).rejects.toMatchObject({
      name: "Refusal",
      code: "unavailable",
    });
    await disk.empty();
    expect(await files.appendUpload(ORG, id, MB, Buffer.alloc(4 * MB, "b"))).toBe(5 * MB);
  });
});

describe("a download", () => {
  let folder: string;
  let files: ImportFiles;
  let closing: (() => Promise<unknown>)[];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "muster-test-"));
    files = filesOf();
    closing = [];
  });
  afterEach(async () => {
    for (const close of closing) await close();
    await rm(folder, { recursive: true, force: true });
  });

  function filesOf(options: { lookup?: LookupFunction; idleMs?: number } = {}): ImportFiles {
    const { lookup, ...limits } = options;
    const fetch = createGuardedFetch({ allowPrivateNetwork: true, ...(lookup ? { lookup } : {}) });
    const disk = { require: async () => {} };
    return new ImportFiles({ runner: "one", folder, fetch, disk, maxBytes: MB, leastSpeed: LEAST_SPEED, ...limits });
  }

  /** A host that sends a text, then a piece of so many bytes again and again, ten times in the time of the limit. */
  async function openHost(begin: string, piece: number, pieces: number): Promise<string> {
    const host = createServer((socket) => {
      socket.on("error", () => {});
      // Without reading, the end of the connection is not seen.
      socket.resume();
      socket.write(begin);
      let sent = 0;
      const sending = setInterval(() => {
        sent += 1;
        if (sent <= pieces) socket.write("x".repeat(piece));
        else socket.end();
      }, LEAST_SPEED.withinMs / 10);
      socket.once("close", () => clearInterval(sending));
    });
    await once(host.listen(0, "127.0.0.1"), "listening");
    closing.push(() => once(host.close(), "close"));
    return `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
  }
  const download = (url: string) =>
    files.fetch(ORG, "job", url, { keepsUpload: false, signal: new AbortController().signal });

  test.each([
    ["body", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n"],
    ["head", "HTTP/1.1 200 OK\r\nx-slow: "],
  ])("whose host drips its %s ends for good, with the reason", async (_part, begin) => {
    const failure = await download(await openHost(begin, 1, 10_000)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(JobFailure);
    expect(failure).toMatchObject({
      message: expect.stringMatching(/sends too slowly: less than 1000 bytes in 0\.3 seconds\.$/),
    });
  });

  test.each([
    ["accepts the connection and answers nothing", "http:", ""],
    ["does not shake hands", "https:", ""],
    ["falls silent in the body", "http:", "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nid\n"],
  ])("whose host %s can be tried again", async (_what, protocol, begin) => {
    files = filesOf({ idleMs: IDLE_MS });
    const address = await openHost(begin, 0, 10_000);
    const failure = await download(address.replace("http:", protocol)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundError);
    expect(failure).toMatchObject({ problem: "timeout" });
  });

  test("whose host cannot be reached can be tried again, however long the connection takes", async () => {
    files = filesOf({ idleMs: IDLE_MS, lookup: () => {} });
    const failure = await download("http://unreachable.example").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutboundError);
    expect(failure).toMatchObject({ problem: "timeout" });
  });

  test("that is slow but gets along is completed", async () => {
    const url = await openHost("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n", 1_000, 40);
    expect(await download(url)).toMatchObject({ bytes: 40_000 });
  });
});
