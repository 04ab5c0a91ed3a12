import { expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import type { PublishedPlatform } from "../support/published-platform.js";

/** Settings that a connector changes itself, and those that somebody else changes. */
export function testSettings(platform: () => PublishedPlatform): void {
  test("the defaults of the manifest are written at the installation", async () => {
    const installed = await platform().install("defaults");
    expect(await platform().smart.run(installed, ["ship"])).toMatchObject({
      type: "ship",
      name: "Published library",
      manifest: { version: "0.1.0", admin: "/auth/" },
      private_settings: { size: 100, sync_interval: 1440, synchronized_segments: ["ALL"] },
    });
  });

  test.for([
    ["helpers.updateSettings", ["helpers"], ["updateSettings", { token: "t1", cursor: { page: 2 } }]],
    ["utils.settings.update", ["client"], ["utils"], ["settings"], ["update", { token: "t1", cursor: { page: 2 } }]],
  ] as const)("%s merges into the private settings, and a ship:update comes", async ([name, ...steps]) => {
    const { smart } = platform();
    const installed = await platform().install(`by-${name.replaceAll(".", "-").toLowerCase()}`);
    const updated = await smart.run(installed, ...steps.map((step): [string, ...unknown[]] => [...step]));
    const settings = { token: "t1", cursor: { page: 2 }, size: 100 };
    expect(updated).toMatchObject({ id: installed.id, private_settings: settings });
    const { ship, received } = await smart.until<unknown[]>("ship:update", (report) => report.ship.id === installed.id);
    expect(ship).toMatchObject({ private_settings: settings });
    expect(received).toMatchObject([{ id: installed.id, private_settings: settings }]);
    expect(await smart.run(installed, ["ship"])).toMatchObject({ private_settings: settings });
  });

  test("the library drops the connector from its cache when somebody else changes the settings", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("cached");
    expect(await smart.run(installed, ["ship"])).not.toHaveProperty("private_settings.token");
    await server.operator("cached", "PUT", `/${installed.id}`, { private_settings: { token: "from the dashboard" } });
    // The library keeps the record for a minute unless a ship:update tells it to read the record again.
    await vi.waitFor(async () => {
      expect(await smart.run(installed, ["ship"])).toMatchObject({ private_settings: { token: "from the dashboard" } });
    }, PATIENCE);
  });

  test("a connector with single notifications drops the connector from its cache too", async () => {
    const { server, plain } = platform();
    const installed = await platform().install("cached-plain", "plain");
    await plain.run(installed, ["ship"]);
    await server.operator("cached-plain", "PUT", `/${installed.id}`, { private_settings: { token: "new" } });
    const { ship } = await plain.until("ship:update", (report) => report.ship.id === installed.id);
    expect(ship).toMatchObject({ private_settings: { token: "new" } });
    expect(await plain.run(installed, ["ship"])).toMatchObject({ private_settings: { token: "new" } });
  });

  test("ctx.cache, ctx.enqueue and ctx.metric work with the credentials of the server", async () => {
    const { smart } = platform();
    const installed = await platform().install("context");
    await smart.run(installed, ["cache"], ["set", "cursor", 5]);
    expect(await smart.run(installed, ["cache"], ["get", "cursor"])).toBe(5);
    await smart.run(installed, ["metric"], ["increment", "ship.service_api.call", 1]);
    await smart.run(installed, ["enqueue", "refresh", { page: 3 }]);
    const { ship, received } = await smart.until<object>("job", (report) => report.ship.id === installed.id);
    expect([ship, received]).toMatchObject([{ name: "Published library" }, { page: 3 }]);
  });

  test("wrong credentials are refused, and a connector that is removed is unknown", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("removed");
    const { id, secret, organization } = installed;
    const wrong = await smart.get({ ship: id, secret: `${secret}x`, organization }, "/admin");
    expect(wrong.status).toBe(500);
    expect((await server.operator("removed", "DELETE", `/${id}`)).status).toBe(200);
    expect((await smart.get({ ship: id, secret, organization }, "/admin")).status).toBe(500);
  });
}
