import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { gunzipSync } from "node:zlib";
import Fastify from "fastify";
import { beforeAll, describe, expect, test } from "vitest";
import type { App } from "../../app-type.js";
import { AnalyticsScript, analyticsScriptRoutes } from "./analytics-script.js";

const LIBRARY = "/analytics.js/v1/any-key/analytics.min.js";
const FILE = createRequire(import.meta.url).resolve("@segment/analytics-next/dist/umd/standalone.js");

const app = Fastify();
beforeAll(() => analyticsScriptRoutes(app as unknown as App, new AnalyticsScript()));

describe("the script of analytics.js", () => {
  test("is the file of its package after a line that says where it came from", async () => {
    const { body, headers } = await app.inject({ url: LIBRARY });
    const published = readFileSync(FILE, "utf8");
    expect(body.endsWith(published)).toBe(true);
    expect(body.slice(0, -published.length)).toMatch(/^!function\(\)\{.*_cdn=.*\}\(\);\n$/);
    expect(headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "public, max-age=300",
      "access-control-allow-origin": "*",
      "cross-origin-resource-policy": "cross-origin",
    });
  });

  test("is compressed for a browser that takes it so", async () => {
    const [plain, compressed] = await Promise.all([
      app.inject({ url: LIBRARY }),
      app.inject({ url: LIBRARY, headers: { "accept-encoding": "gzip, br" } }),
    ]);
    expect(compressed.headers).toMatchObject({ "content-encoding": "gzip", vary: "accept-encoding" });
    expect(gunzipSync(compressed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(compressed.rawPayload.length).toBeLessThan(40_000);
  });

  test("loads every part that it names, which a browser keeps for ever", async () => {
    const { body } = await app.inject({ url: LIBRARY });
    // Webpack writes the hash of each part into the library, by its number.
    const hashes = /\.bundle\."\+(\{[^}]*\})/.exec(body)?.[1]?.match(/[0-9a-f]{20}/g) ?? [];
    expect(hashes).not.toEqual([]);
    const parts = readdirSync(dirname(FILE)).filter((name) => hashes.some((hash) => name.endsWith(`.${hash}.js`)));
    expect(parts).toHaveLength(hashes.length);
    for (const part of parts) {
      const answer = await app.inject({ url: `/analytics-next/bundles/${part}` });
      expect([part, answer.statusCode, answer.headers["cache-control"]]).toEqual([
        part,
        200,
        expect.stringContaining("immutable"),
      ]);
    }
  });

  test.each(["../standalone.js", "standalone.js", "made-up.bundle.00000000.js", "index.js.map"])(
    "has no part %s",
    async (name) => {
      const { statusCode } = await app.inject({ url: `/analytics-next/bundles/${encodeURIComponent(name)}` });
      expect(statusCode).toBeGreaterThanOrEqual(400);
    },
  );
});
