import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBrand } from "@muster/protocol";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DashboardFiles } from "./dashboard-files.js";

let folder: string;
let files: DashboardFiles;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-dashboard-files-"));
  files = new DashboardFiles(createBrand("Acme"), folder);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const never = new AbortController().signal;

test("without a build there is no page, and nothing to wait for", async () => {
  expect(await files.page()).toBeUndefined();
  expect(files.isBeingBuilt()).toBe(false);
  expect(await files.whenBuilt(never)).toBe(false);
});

test("a page that is built while the server runs is found when its build has ended", async () => {
  await writeFile(join(folder, ".building"), "1");
  const built = files.whenBuilt(never);
  await mkdir(join(folder, "dist"));
  await writeFile(
    join(folder, "dist/index.html"),
    '<meta content="__MUSTER_BRAND__"><meta content="__MUSTER_NONCE__">',
  );
  expect(files.isBeingBuilt()).toBe(true);
  await rm(join(folder, ".building"));
  expect(await built).toBe(true);
  const page = await files.page();
  expect(page?.html).toBe(`<meta content="Acme"><meta content="${page?.nonce}">`);
});

test("the wait for a build ends when the server stops", async () => {
  await writeFile(join(folder, ".building"), "1");
  const stop = new AbortController();
  const built = files.whenBuilt(stop.signal);
  stop.abort();
  expect(await built).toBe(false);
});
