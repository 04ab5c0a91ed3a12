import { createHash } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createBrand } from "@muster/protocol";
import Fastify from "fastify";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { App } from "../../app-type.js";
import { BrowserScript } from "./browser-script.js";
import { scriptRoutes } from "./script-routes.js";

const sum = (text: string) => createHash("sha256").update(text).digest("hex");
const OLD = "old('__MUSTER_BRAND__')";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "muster-releases-"));
  await writeFile(join(folder, "1.1.0.js"), OLD);
  await writeFile(join(folder, "1.2.0.js"), "edited afterwards");
  await writeFile(join(folder, "9.9.9.js"), "not in the list");
  await writeFile(join(folder, "SHA256SUMS"), `${sum(OLD)}  1.1.0.js\n${sum("as it was")}  1.2.0.js\n`);
});
afterAll(() => rm(folder, { recursive: true }));

async function get(version: string, ofServer = "1.3.0") {
  const releases = pathToFileURL(`${folder}/`);
  const app = Fastify();
  scriptRoutes(app as unknown as App, new BrowserScript(createBrand("Svc"), { version: ofServer, releases }));
  const answer = await app.inject({ url: `/js/${version}/muster.js` });
  return { status: answer.statusCode, body: answer.body, kept: answer.headers["cache-control"] };
}

const FOREVER = expect.stringContaining("immutable");
const BRIEFLY = "public, max-age=300";

describe("after an upgrade", () => {
  test("a released version is served as it was, and kept for ever", async () => {
    expect(await get("1.1.0")).toEqual({ status: 200, body: "old('Svc')", kept: FOREVER });
  });

  test("the latest version is the one of the server, and kept briefly", async () => {
    expect(await get("latest")).toMatchObject({ status: 200, kept: BRIEFLY });
    expect(await get("latest", "1.1.0")).toEqual({ status: 200, body: "old('Svc')", kept: BRIEFLY });
  });

  test("a version that was never released gets the present script, and is kept briefly", async () => {
    const { body } = await get("latest");
    for (const version of ["1.3.0", "1.2.9", "1.0.0"]) {
      expect(await get(version)).toEqual({ status: 200, body, kept: BRIEFLY });
    }
  });

  test.each(["1.3.1", "2.0.0", "0.9.0", "9.9.9", "1.1", "..%2f..%2fsecret", "1.1.0%00", "constructor"])(
    "%s is not found",
    async (version) => {
      expect((await get(version)).status).toBe(404);
    },
  );

  test("a released file that somebody has edited is not served", async () => {
    expect((await get("1.2.0")).body).not.toContain("edited");
  });
});
