import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DestinationThreads } from "@muster/destinations";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDestinationThread } from "./start-destination-thread.js";

const folder = process.env.DESTINATIONS_INSTALLATION ?? "";
let calls = 0;
const inside = createServer((_request, response) => {
  calls += 1;
  response.end("{}");
});
beforeAll(() => new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve)));
afterAll(() => void inside.close());

/** Sends one event to an address with the webhook destination. */
async function sendTo(url: string, allowPrivateNetwork: boolean) {
  const threads = new DestinationThreads({ folder, start: startDestinationThread(allowPrivateNetwork) });
  const fields = { url, method: "POST", data: { "@path": "$.properties" }, enable_batching: false };
  const mapping = { id: "m", name: "m", action: "send", enabled: true, trigger: 'type = "track"', fields };
  const time = "2026-01-01T00:00:00.000Z";
  const event = {
    type: "track" as const,
    event: "Signed up",
    messageId: "m1",
    userId: "ada",
    timestamp: time,
    sentAt: time,
    receivedAt: time,
    properties: { plan: "pro" },
    context: {},
    integrations: {},
  };
  const account = { connectorId: "c", settings: {}, secrets: [] };
  const items = [{ subject: "ada", event, done: [] }];
  const [[outcome] = []] = await threads.call("webhook", "deliver", { account, mappings: [mapping], items });
  await threads.close();
  return outcome?.outcome;
}

test("a destination reaches no private address, by number or by name, unless the operator allows it", async () => {
  const { port } = inside.address() as AddressInfo;
  for (const host of ["127.0.0.1", "localhost"]) {
    const outcome = await sendTo(`http://${host}:${port}/`, false);
    expect(outcome).toMatchObject({ kind: "settings", reason: expect.stringContaining("is not a public address") });
  }
  expect(calls).toBe(0);
  expect(await sendTo(`http://127.0.0.1:${port}/`, true)).toMatchObject({ kind: "accepted", status: 200 });
  expect(calls).toBe(1);
});
