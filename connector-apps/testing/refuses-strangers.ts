import { randomUUID } from "node:crypto";
import {
  type CallOptions,
  type ConnectorAnswer,
  callConnector,
  type FakePlatform,
  startFakePlatform,
} from "@muster/connector/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConnectorUnderTest } from "./set-up-connector.js";

const PLAIN = { Type: "Notification", Subject: "user_report:update", Message: '{"user":{"id":"1"}}' };
const FILE_OF_STRANGER = '{"id":"0198c2a4f1d010a1b2c3d4e5"}';

/** Tests that a connector refuses everybody but the platform that it was told to serve. */
export function itRefusesStrangers(connector: ConnectorUnderTest): void {
  describe("a stranger", () => {
    let stranger: FakePlatform;
    beforeEach(async () => {
      // It answers like Muster and knows the same connector and secret, so that nothing but its host is wrong.
      stranger = await startFakePlatform({ connector: { private_settings: { ...connector.settings } } });
    });
    afterEach(() => stranger.close());

    /** Calls every endpoint in these ways. None may answer, be it as a page, with JSON or with an error of its own. */
    async function expectRefusals(...ways: CallOptions[]): Promise<void> {
      for (const path of await endpointsOf(connector)) {
        for (const way of ways) {
          const { status } = await callConnector(connector.url + path, way);
          expect([400, 401, 403, 404, 429], `${path} with ${JSON.stringify(way.body)}`).toContain(status);
        }
      }
    }

    it("without credentials is refused by every endpoint, and Muster is not asked", async () => {
      await expectRefusals({}, { body: {} }, { body: PLAIN });
      expect(connector.platform.requests).toEqual([]);
    });

    it("with a wrong secret is refused by every endpoint", async () => {
      const query = { ...connector.platform.credentials, secret: "a-wrong-one" };
      const file = connector.platform.serve(FILE_OF_STRANGER);
      await expectRefusals({ query }, { query, body: {} }, { query, body: PLAIN }, { query, body: extractOf(file) });
      expect(connector.platform.entries).toEqual([]);
    });

    it("who names an organization of their own is refused, and the connector never calls it", async () => {
      const query = { ...stranger.credentials };
      const file = stranger.serve(FILE_OF_STRANGER);
      await expectRefusals({ query }, { query, body: {} }, { query, body: PLAIN }, { query, body: extractOf(file) });
      const answer = await stranger.notify(`${connector.url}/smart-notifier`, {
        channel: "ship:update",
        messages: [{}],
      });
      expect(answer.status).toBe(403);
      expect(stranger.requests).toEqual([]);
    });

    it("who signs with a key on a host of their own is refused, and the key is not fetched", async () => {
      const body = notificationOf(connector.platform);
      const answer = await callConnector(`${connector.url}/smart-notifier`, { body, headers: stranger.sign(body) });
      expect(answer).toMatchObject({ status: 401, body: { code: "invalid_signature" } });
      expect(stranger.requests).toEqual([]);
    });

    it("who has recorded a notification can neither change, keep nor repeat it", async () => {
      const now = Math.floor(Date.now() / 1_000);
      const body = notificationOf(connector.platform);
      const send = (claims: Record<string, unknown>, sent = body) => notifySigned(connector, body, claims, sent);
      const refused = { status: 401, body: { code: "invalid_signature" } };
      expect(await send({ exp: now - 1 })).toMatchObject(refused);
      expect(await send({ exp: undefined })).toMatchObject(refused);
      expect(await send({ jti: "another" })).toMatchObject(refused);
      expect(await send({ body_sha256: undefined })).toMatchObject(refused);
      expect(await send({}, body.replace('"ship:update"', '"user:update"'))).toMatchObject(refused);
      expect((await send({})).status).toBe(200);
      expect(await send({})).toMatchObject(refused);
    });

    it("cannot have a file of theirs read as an extract, even with the connector's credentials", async () => {
      const body = extractOf(stranger.serve(FILE_OF_STRANGER));
      for (const path of ["/batch", "/batch-accounts", "/smart-notifier"]) {
        const { status } = await connector.call(path, { body });
        expect([400, 404], path).toContain(status);
      }
      expect(stranger.requests).toEqual([]);
      expect(connector.platform.entries).toEqual([]);
    });

    it("cannot leave the folder of pages, even with the connector's credentials", async () => {
      for (const name of ["..%2fmanifest", "..%5cmanifest", "%2fetc%2fpasswd", "a%00", "..", "%2e%2e"]) {
        expect([name, (await connector.call(`/views/${name}.html`)).status]).toEqual([name, 404]);
      }
    });

    it("gets no permission for pages of another origin to read answers", async () => {
      const headers = { origin: "https://evil.example" };
      for (const path of await endpointsOf(connector)) {
        for (const options of [{ headers }, { headers, method: "OPTIONS" }]) {
          const answer = await connector.call(path, options);
          expect(answer.headers.get("access-control-allow-origin"), path).toBeNull();
        }
      }
    });
  });
}

function extractOf(url: string): Record<string, string> {
  return { url, format: "json", object_type: "user_report", job_id: randomUUID() };
}

function notificationOf({ credentials, connector }: FakePlatform): string {
  return JSON.stringify({
    notification_id: randomUUID(),
    channel: "ship:update",
    configuration: credentials,
    connector,
    messages: [connector],
  });
}

/** Sends a body with the platform's own signature of another body, or with other claims. */
function notifySigned(
  { platform, url }: ConnectorUnderTest,
  signed: string,
  claims: Record<string, unknown>,
  sent: string,
): Promise<ConnectorAnswer> {
  return callConnector(`${url}/smart-notifier`, { body: sent, headers: platform.sign(signed, claims) });
}

interface DeclaredEndpoints {
  [section: string]: unknown;
  status?: { url: string };
}

/** The paths of all endpoints that the manifest declares, and of the pages. */
async function endpointsOf({ url }: ConnectorUnderTest): Promise<string[]> {
  const manifest = (await callConnector(`${url}/manifest.json`)).body as DeclaredEndpoints;
  const sections = ["subscriptions", "batches", "json", "incoming", "html", "tabs", "schedules"];
  const declared = sections.flatMap((section) => (manifest[section] ?? []) as { url: string }[]);
  const paths = [...declared, ...(manifest.status ? [manifest.status] : [])].map((each) => each.url.replace(":", ""));
  return [...paths, "/views/admin.html", "/views/editor.html"];
}
