import { expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import type { PublishedPlatform } from "../support/published-platform.js";

/** The status of a connector, its schedules, and what happens when it is disabled. */
export function testStatus(platform: () => PublishedPlatform): void {
  test("the status endpoint is polled, and the connector sets its status itself", async () => {
    const { server, plain } = platform();
    const installed = await platform().install("polled", "plain");
    const status = async () => (await server.operator("polled", "GET", `/${installed.id}/status`)).body;
    expect(await status()).toMatchObject({ status: "setupRequired" });
    await vi.waitFor(async () => {
      expect(await status()).toMatchObject({ status: "setupRequired", messages: ["Sign in to the third party"] });
    }, PATIENCE);
    await plain.run(installed, ["helpers"], ["updateSettings", { token: "t" }]);
    await vi.waitFor(async () => expect(await status()).toMatchObject({ status: "ok", messages: [] }), PATIENCE);
  });

  test("client.put of a status with messages is stored", async () => {
    const { smart } = platform();
    const installed = await platform().install("status");
    const put = (body: object) => smart.run(installed, ["client"], ["put", `${installed.id}/status`, body]);
    const expired = { status: "error", messages: ["The key expired"] };
    expect(await put(expired)).toMatchObject({ id: installed.id, ...expired });
    expect(await smart.run(installed, ["client"], ["get", "app"])).toMatchObject({ status: expired });
    await expect(put({ status: "fabulous", messages: [] })).rejects.toThrow(/bad request/i);
  });

  test("client.put of a status without messages is stored, as older importers send it", async () => {
    const { smart } = platform();
    const installed = await platform().install("status-alone");
    const put = (body: object) => smart.run(installed, ["client"], ["put", `${installed.id}/status`, body]);
    await put({ status: "error", messages: ["The file is gone"] });
    expect(await put({ status: "ok" })).toMatchObject({ id: installed.id, status: "ok", messages: [] });
  });

  test("a schedule is called with the credentials in the query, as often as a setting says", async () => {
    const { smart } = platform();
    const installed = await platform().install("scheduled");
    await smart.run(installed, ["helpers"], ["updateSettings", { sync_interval: "0.01" }]);
    const { ship, received } = await smart.until<object>("sync", (report) => report.ship.id === installed.id);
    expect(ship).toMatchObject({ private_settings: { sync_interval: "0.01" } });
    const { id, secret, organization } = installed;
    expect(received).toMatchObject({ ship: id, secret, organization });
  });

  test("what a disabled connector writes is refused, until it is enabled again", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("disabled");
    const write = () =>
      smart.run(installed, ["client"], ["asUser", { external_id: "ann" }], ["traits", { plan: "pro" }]);
    // The library has the connector in its cache now, and goes on by itself.
    await smart.run(installed, ["ship"]);
    await server.operator("disabled", "PUT", `/${installed.id}`, { enabled: false });
    const record = await server.operator("disabled", "GET", `/${installed.id}`);
    expect(record.body).toMatchObject({ enabled: false, accept_incoming_webhooks: false });
    await expect(write()).rejects.toThrow(/forbidden/i);
    await expect(smart.run(installed, ["client"], ["get", "users_segments"])).rejects.toThrow(/forbidden/i);
    await server.operator("disabled", "PUT", `/${installed.id}`, { enabled: true });
    await write();
    await vi.waitFor(() => expect(smart.about(installed, "ann")).toHaveLength(1), PATIENCE);
  });
}
