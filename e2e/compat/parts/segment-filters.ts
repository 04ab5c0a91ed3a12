import { expect, test, vi } from "vitest";
import { PATIENCE } from "../support/patience.js";
import type { PublishedPlatform } from "../support/published-platform.js";

/** Filters by segments: those of the manifest, which the server applies, and those of the library. */
export function testSegmentFilters(platform: () => PublishedPlatform): void {
  test("only members of the chosen segments and users who left them are sent, and with ALL everybody is", async () => {
    const { server, smart } = platform();
    const installed = await platform().install("filtered");
    const segment = await server.createSegment("filtered", "Pro", { term: { "traits_plan.raw": "pro" } });
    await smart.run(installed, ["helpers"], ["updateSettings", { synchronized_segments: [segment] }]);
    await server.sendTraits(installed, { free: { plan: "free" }, pro: { plan: "pro" } });
    await vi.waitFor(
      () => expect(smart.about(installed, "pro").at(-1)?.segments).toMatchObject([{ id: segment }]),
      PATIENCE,
    );
    await server.sendTraits(installed, { pro: { plan: "free" } });
    await vi.waitFor(() => {
      expect(smart.about(installed, "pro").at(-1)).toMatchObject({
        segments: [],
        changes: { segments: { left: [{ id: segment, name: "Pro" }] } },
      });
    }, PATIENCE);
    expect(smart.about(installed, "free")).toEqual([]);

    await smart.run(installed, ["helpers"], ["updateSettings", { synchronized_segments: ["ALL"] }]);
    await server.sendTraits(installed, { free: { seats: 1 } });
    await vi.waitFor(() => expect(smart.about(installed, "free")).toHaveLength(1), PATIENCE);
  });

  test("segmentFilterSetting: the library computes matchesFilter of single notifications from the record", async () => {
    const { server, plain } = platform();
    const installed = await platform().install("matched", "plain");
    const segment = await server.createSegment("matched", "Pro", { term: { "traits_plan.raw": "pro" } });
    await plain.run(installed, ["helpers"], ["updateSettings", { synchronized_segments: [segment] }]);
    expect(await plain.run(installed, ["segments"])).toMatchObject([{ id: segment, filtered: true }]);
    await server.sendTraits(installed, { free: { plan: "free" }, pro: { plan: "pro" } });
    await vi.waitFor(() => {
      expect(plain.about(installed, "pro").at(-1)).toMatchObject({ matchesFilter: true, segments: [{ id: segment }] });
      expect(plain.about(installed, "free").at(-1)).toMatchObject({ matchesFilter: false, segments: [] });
    }, PATIENCE);
  });
}
