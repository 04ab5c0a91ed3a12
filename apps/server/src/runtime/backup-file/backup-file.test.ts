import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { BackupError, type BackupHeader, type PartEnd, type PartHead, PIECE_BYTES } from "./backup-format.js";
import { openBackup } from "./backup-parts.js";
import { BackupWriter } from "./backup-writer.js";
import { keyCheck, openKey, sealKey } from "./sealed-key.js";

const HEADER: BackupHeader = {
  version: "0.1.0",
  created_at: "2026-01-31T00:00:00.000Z",
  migrations: ["0001-foundations.sql"],
  settings: { BRAND: "Svc" },
  organizations: [{ namespace: "default", position: "l12" }],
  partitions: { traces: ["20260131"] },
  sequences: [],
  key_check: keyCheck("a key"),
  files: "included",
  estimated_bytes: 1_000,
};

async function* chunksOf(content: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < content.length; start += size) yield content.subarray(start, start + size);
}

async function write(parts: readonly [PartHead, Buffer][]): Promise<Buffer> {
  const writer = new BackupWriter();
  const written = [writer.begin(HEADER)];
  for (const [head, content] of parts) {
    for await (const bytes of writer.part(head, chunksOf(content, 70_000), () => 3)) written.push(bytes);
  }
  return Buffer.concat([...written, writer.end()]);
}

/** The header, and the parts with the hash of their content: comparing large buffers takes a test long. */
async function read(file: Buffer, chunkSize = 10_000) {
  const { header, parts } = await openBackup(chunksOf(file, chunkSize), () => {});
  const found: ReturnType<typeof summary>[] = [];
  for await (const part of parts) {
    const content: Buffer[] = [];
    for await (const bytes of part.content) content.push(bytes);
    found.push({ ...summary([part.head, Buffer.concat(content)]), end: part.end() });
  }
  return { header, parts: found };
}

function summary([head, content]: [PartHead, Buffer]) {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return { head, sha256, end: { bytes: content.length, rows: 3 } as PartEnd | undefined };
}

const SMALL: [PartHead, Buffer][] = [
  [{ kind: "keys" }, Buffer.from("{}")],
  [{ kind: "table", name: "users", columns: ["id"] }, Buffer.from("Ann, Bob and 9 others")],
  [{ kind: "file", path: "kept/empty" }, Buffer.alloc(0)],
];

test("what was written is read again, also parts of several pieces", async () => {
  const large: [PartHead, Buffer] = [{ kind: "file", path: "kept/large" }, randomBytes(2.5 * PIECE_BYTES)];
  const exact: [PartHead, Buffer] = [{ kind: "file", path: "kept/exact" }, Buffer.alloc(2 * PIECE_BYTES, "abc")];
  const parts = [...SMALL, large, exact];
  const file = await write(parts);
  const expected = { header: HEADER, parts: parts.map(summary) };
  expect(await read(file)).toEqual(expected);
  expect(await read(file, 1_000_000)).toEqual(expected);
});

test("one flipped bit anywhere is found", async () => {
  const file = await write(SMALL);
  for (let place = 0; place < file.length; place++) {
    const damaged = Buffer.from(file);
    damaged[place]! ^= 1 << (place % 8);
    const outcome = await read(damaged).catch((error: unknown) => error);
    if (!(outcome instanceof BackupError)) expect.unreachable(`a flipped bit in byte ${place} is not found`);
  }
});

test("damage is named with the part that has it", async () => {
  const file = await write(SMALL);
  file[file.indexOf("users") + 40]! ^= 1;
  await expect(read(file)).rejects.toThrow(
    new BackupError("The backup is damaged in the table users. Use another one."),
  );
});

test("a file that was cut off anywhere is refused, and so is one with something after its end", async () => {
  const file = await write(SMALL);
  for (let length = 0; length < file.length; length++) {
    const outcome = await read(file.subarray(0, length)).catch(String);
    if (!String(outcome).includes("its end mark is missing")) expect.unreachable(`${length} bytes pass for a backup`);
  }
  await expect(read(Buffer.concat([file, Buffer.from("x")]))).rejects.toThrow("something follows its end mark");
});

test("another file is not taken for a backup", async () => {
  await expect(read(randomBytes(1_000))).rejects.toThrow("This is not a backup of Muster");
});

test("the key opens with its passphrase only", async () => {
  const sealed = await sealKey("the key of the server", "pässphrase");
  expect(JSON.stringify(sealed)).not.toContain("the key");
  expect(await openKey(sealed, "pa\u0308ssphrase")).toBe("the key of the server");
  await expect(openKey(sealed, "passphrase")).rejects.toThrow("The passphrase is not the one");
});
