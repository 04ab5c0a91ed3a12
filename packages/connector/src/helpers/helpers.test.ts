import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startWebServer } from "../../../../testing/start-web-server.js";
import { Connector } from "../connector.js";
import type { Context } from "../context/context.js";
import { type FakePlatform, segmentRecord, startFakePlatform } from "../testing/index.js";
import { handleExtract } from "./handle-extract.js";

const manifest = { name: "Test", version: "1.0.0", settings_sections: [] };
let platform: FakePlatform;
let connector: Connector;
let ctx: Context;
beforeEach(async () => {
  platform = await startFakePlatform({ connector: { source_url: "https://crm.example.com/app/" } });
  connector = new Connector({ manifest, organizations: [platform.url], clientConfig: { onLog: () => {} } });
  ctx = await connector.contextFor(platform.credentials);
});
afterEach(() => platform.close());

describe("updateSettings", () => {
  it("merges into the private settings, which this context and later ones see at once", async () => {
    platform.connector.private_settings = { api_key: "k" };
    expect(await ctx.helpers.updateSettings({ cursor: 5 })).toMatchObject({
      private_settings: { api_key: "k", cursor: 5 },
    });
    expect(ctx.connector.private_settings).toEqual({ api_key: "k", cursor: 5 });
    const calls = platform.calls.length;
    const later = await connector.contextFor(platform.credentials);
    expect(later.connector.private_settings).toEqual({ api_key: "k", cursor: 5 });
    expect(platform.calls).toHaveLength(calls);
  });
});

describe("requestExtract", () => {
  it("asks for all users and has the file announced to /batch with the credentials", async () => {
    await ctx.helpers.requestExtract();
    const { path, body } = platform.calls.at(-1) ?? {};
    const { url, ...rest } = body as { url: string };
    expect([path, rest]).toEqual(["/extract/users", { format: "json", query: { match_all: {} } }]);
    const announced = new URL(url);
    expect(announced.origin + announced.pathname).toBe("https://crm.example.com/app/batch");
    expect(Object.fromEntries(announced.searchParams)).toEqual({
      ...platform.credentials,
      ship: platform.credentials.id,
      source: "connector",
    });
  });

  it("asks for a segment by its query, with the caller's fields and query parameters", async () => {
    const segment = segmentRecord({
      id: "0198c2a4f1d021a1b2c3d4e5",
      type: "accounts_segment",
      query: { term: { a: 1 } },
    });
    await ctx.helpers.requestExtract({
      segment,
      path: "/accounts",
      format: "csv",
      fields: ["domain"],
      additionalQuery: { run: "7" },
    });
    const { path, body } = platform.calls.at(-1) ?? {};
    expect(path).toBe("/extract/accounts");
    expect(body).toMatchObject({ format: "csv", fields: ["domain"], query: segment.query, csv_formulas: true });
    const { searchParams } = new URL((body as { url: string }).url);
    expect([searchParams.get("segment_id"), searchParams.get("run")]).toEqual([segment.id, "7"]);
  });

  it("looks up the query of a segment that comes without one", async () => {
    const id = "0198c2a4f1d020a1b2c3d4e5";
    platform.willAnswer(`GET /${id}`, { id, query: { term: { b: 2 } } });
    await ctx.helpers.requestExtract({ segment: { id } });
    expect(platform.calls.at(-1)?.body).toMatchObject({ query: { term: { b: 2 } } });
  });
});

describe("handleExtract", () => {
  it("gives the handler one batch at a time, and stops when it fails", async () => {
    const url = platform.serve(Array.from({ length: 7 }, (_, id) => `{"id":"${id}"}`).join("\n"));
    let isBusy = false;
    const sizes: number[] = [];
    await ctx.helpers.handleExtract({
      body: { url, format: "json" },
      batchSize: 3,
      async handler(records) {
        expect(isBusy).toBe(false);
        isBusy = true;
        await new Promise(setImmediate);
        sizes.push(records.length);
        isBusy = false;
      },
    });
    expect(sizes).toEqual([3, 3, 1]);
    let calls = 0;
    const failing = ctx.helpers.handleExtract({
      body: { url, format: "json" },
      batchSize: 3,
      handler: () => {
        calls += 1;
        throw new Error("no");
      },
    });
    await expect(failing).rejects.toThrow("no");
    expect(calls).toBe(1);
  });

  it("does not follow the platform to another host", async () => {
    const hits: unknown[] = [];
    const foreign = await startWebServer((request, response) => {
      hits.push(request.url);
      response.end();
    });
    const redirecting = await startWebServer((_request, response) => {
      response.writeHead(302, { location: foreign.url }).end();
    });
    onTestFinished(async () => {
      await foreign.close();
      await redirecting.close();
    });
    const host = new URL(redirecting.url).host;
    const reading = handleExtract((url) => (new URL(url).host === host ? url : undefined), {
      body: { url: redirecting.url, format: "json" },
      handler: () => {},
    });
    await expect(reading).rejects.toThrow("cannot be fetched");
    expect(hits).toEqual([]);
  });

  it("rejects with the problem of the call or the file", async () => {
    const handle = (body: unknown) => ctx.helpers.handleExtract({ body, handler: () => {} });
    await expect(handle({})).rejects.toThrow("The extract has no `url` to fetch.");
    await expect(handle({ url: "file:///etc/passwd", format: "json" })).rejects.toThrow("no `url`");
    await expect(handle({ url: platform.serve("[1]"), format: "json" })).rejects.toThrow("not a JSON object");
  });

  it("tells onResponse of the download before the first record, and onError of nothing when all goes well", async () => {
    const steps: unknown[] = [];
    await ctx.helpers.handleExtract({
      body: { url: platform.serve('{"id":"1"}'), format: "json" },
      onResponse: ({ status }) => void steps.push(status),
      onError: (error) => void steps.push(error),
      handler: ([record]) => void steps.push(record),
    });
    expect(steps).toEqual([200, { id: "1" }]);
  });

  it.each([
    ["has no address", () => ({}), "no `url`"],
    ["is on a foreign host", () => ({ url: "http://127.0.0.1:1/file" }), "not on a host of the organization"],
    ["cannot be fetched", () => ({ url: `${platform.url}/none` }), "status 401"],
    ["holds a line that is not JSON", () => ({ url: platform.serve('{"id":"1"}\noops') }), "not a JSON object"],
    [
      "holds a row of CSV that is too long",
      () => ({ url: platform.serve("id\n1,2"), format: "csv" }),
      "Invalid Record",
    ],
    ["is refused by the handler", () => ({ url: platform.serve('{"id":"no"}') }), "The handler refused it."],
  ])("tells onError of an extract that %s, and rejects", async (_case, body, message) => {
    const errors: Error[] = [];
    const reading = ctx.helpers.handleExtract({
      body: body(),
      batchSize: 1,
      handler([record]) {
        if (record?.id === "no") throw new Error("The handler refused it.");
      },
      onError: (error) => void errors.push(error),
    });
    await expect(reading).rejects.toThrow(message);
    expect(errors.map((error) => error.message)).toEqual([expect.stringContaining(message)]);
  });

  it.each(["json", "csv"])("rejects when the download of a %s file breaks off", async (format) => {
    const breaking = await startWebServer((_request, response) => {
      response
        .writeHead(200, { "content-length": 1_000 })
        .write(format === "csv" ? "id\n1\n2\n" : '{"id":"1"}\n', () => response.destroy());
    });
    onTestFinished(() => breaking.close());
    const errors: Error[] = [];
    const reading = handleExtract((url) => url, {
      body: { url: breaking.url, format },
      handler: () => {},
      onError: (error) => void errors.push(error),
    });
    await expect(reading).rejects.toThrow("broke off");
    expect(errors).toHaveLength(1);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses the batch size %s before it fetches anything", async (batchSize) => {
    const body = { url: platform.serve('{"id":"1"}') };
    const before = platform.requests.length;
    const reading = ctx.helpers.handleExtract({ body, batchSize, handler: () => {} });
    await expect(reading).rejects.toThrow("`batchSize` must be a whole number of at least 1");
    expect(platform.requests).toHaveLength(before);
  });
});
