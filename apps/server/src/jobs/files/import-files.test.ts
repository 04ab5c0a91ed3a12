import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { GuardedFetch } from "../../outbound/guarded-fetch.js";
import { canMount, openSmallDisk, type SmallDisk } from "../../testing/small-disk.js";
import { ImportFiles } from "./import-files.js";

const MB = 1024 * 1024;
const ORG = "0190000000000100000000aa";

// Uploads fetch nothing.
const fetch: GuardedFetch = () => Promise.reject(new Error("Nothing is fetched here."));

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
      fetch,
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
