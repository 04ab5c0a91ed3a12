import type { Installed, Schedule } from "@muster/protocol/api/connectors";
import { checkSettings, readManifest } from "@muster/protocol/manifest";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ConnectorApp } from "../testing/connector-app.js";
import { openTestServer, type TestServer } from "../testing/test-server.js";
import { ODD_MANIFESTS } from "./odd-manifests.test.data.js";

let muster: TestServer;
let app: ConnectorApp;

beforeAll(async () => {
  muster = await openTestServer();
  await muster.listen();
  app = await ConnectorApp.open({});
});
afterAll(async () => {
  await muster.close();
  await app.close();
});

function operator(method: "GET" | "POST" | "PUT", path: string, payload?: object) {
  const headers = muster.operatorHeaders;
  return muster.app.inject({ method, url: `/api/v1${path}`, headers, ...(payload ? { payload } : {}) });
}

const cases = ODD_MANIFESTS.map((odd) => [odd.oddities, odd] as const);

test.each(cases)("a manifest is installed with %s", async (_oddities, odd) => {
  app.manifest = odd.manifest;
  const answer = await operator("POST", "/connectors/install", { url: app.url });
  expect(answer.statusCode).toBe(201);
  const { id, problems } = answer.json<Installed>();
  expect(problems.map(({ severity, path }) => `${severity} ${path}`)).toEqual(odd.problems ?? []);

  const record = (await operator("GET", `/${id}`)).json();
  expect(record).toMatchObject({
    manifest: odd.manifest,
    settings: odd.settings ?? {},
    private_settings: odd.privateSettings ?? {},
    status: { status: odd.status ?? "ok" },
    enabled: true,
  });
  expect(record.sections.map(({ title, enabled }: { title: string; enabled: boolean }) => [title, enabled])).toEqual(
    odd.sections ?? [],
  );

  await vi.waitFor(async () => {
    const schedules = (await operator("GET", `/${id}/schedules`)).json<Schedule[]>();
    expect(schedules.map(({ kind, url, timing }) => `${kind} ${url} ${timing}`).sort()).toEqual(odd.schedules ?? []);
  }, 15_000);
});

test.each(cases)(
  "the defaults are valid values, and a form may send them back, with %s",
  async (_oddities, { manifest }) => {
    app.manifest = manifest;
    const { id } = (await operator("POST", "/connectors/install", { url: app.url })).json<Installed>();
    const { settings, private_settings: privateSettings } = (await operator("GET", `/${id}`)).json();
    const declared = readManifest(manifest);
    expect(checkSettings(declared.settings, settings)).toEqual([]);
    expect(checkSettings(declared.private_settings, privateSettings)).toEqual([]);
    const saved = await operator("PUT", `/${id}`, { settings, private_settings: privateSettings });
    expect([saved.statusCode, saved.json()]).toMatchObject([200, { settings, private_settings: privateSettings }]);
  },
);
