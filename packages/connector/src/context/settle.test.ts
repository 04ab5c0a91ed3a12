import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Connector } from "../connector.js";
import { type FakePlatform, type RunningConnector, runConnector, startFakePlatform } from "../testing/index.js";

let platform: FakePlatform;
let running: RunningConnector | undefined;
beforeEach(async () => {
  platform = await startFakePlatform();
});
afterEach(async () => {
  await running?.close();
  await platform.close();
});

it("a webhook of the service says later what became of messages, again for those that Muster does not know yet", async () => {
  const call = "POST /app/delivery/results";
  platform.willAnswer(call, { settled: 1, ignored: ["slow"] });
  const connector = new Connector({
    manifest: { name: "Test", version: "1.0.0", settings_sections: [], json: [{ url: "/done", handler: "done" }] },
    port: 0,
    organizations: [platform.url],
    handlers: {
      json: {
        done: async (ctx) => {
          const slow = { message_id: "slow", result: "refused", status: 422, body: "é".repeat(3_000) } as const;
          await ctx.settle({ message_id: "quick", result: "accepted" }, slow);
        },
      },
    },
    clientConfig: { onLog: () => {} },
  });
  running = await runConnector(connector);
  const answered = platform.call(`${running.url}/done`);
  await vi.waitUntil(() => reports().length > 0, { timeout: 10_000 });
  platform.willAnswer(call, { settled: 1, ignored: [] });
  expect((await answered).status).toBe(200);
  const refused = { message_id: "slow", result: "refused", status: 422, body: "é".repeat(1_024) };
  expect(reports()).toEqual([
    { results: [{ message_id: "quick", result: "accepted" }, refused] },
    { results: [refused] },
  ]);
});

function reports(): unknown[] {
  return platform.calls.filter(({ path }) => path === "/app/delivery/results").map(({ body }) => body);
}
