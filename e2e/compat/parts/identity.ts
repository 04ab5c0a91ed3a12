import { expect, test, vi } from "vitest";
import type { Installed } from "../support/hull-server.js";
import { PATIENCE } from "../support/patience.js";
import type { Step, UserMessage } from "../support/published-app.js";
import type { PublishedPlatform } from "../support/published-platform.js";

/** How a connector follows who is who: by changes of identifiers, and by the events that the platform makes. */
export function testIdentity(platform: () => PublishedPlatform): void {
  function asUser(installed: Installed, claims: object, ...steps: Step[]): Promise<unknown> {
    return platform().smart.run(installed, ["client"], ["asUser", claims], ...steps);
  }

  /** The messages about one user, once the last of them is as expected. */
  async function messages(installed: Installed, id: unknown, expected: object): Promise<UserMessage[]> {
    return vi.waitFor(() => {
      const received = platform()
        .smart.of("user:update", installed)
        .flatMap(({ received }) => received);
      const about = received.filter(({ user }) => user.id === id);
      expect(about.at(-1)).toMatchObject(expected);
      return about;
    }, PATIENCE);
  }

  /** The id of the user that a message tells about first. */
  async function idOf(installed: Installed, isMeant: (user: UserMessage["user"]) => boolean): Promise<unknown> {
    const { received } = await platform().smart.until(
      "user:update",
      (report) => report.ship.id === installed.id && report.received.some(({ user }) => isMeant(user)),
    );
    return received.find(({ user }) => isMeant(user))?.user.id;
  }

  test("a user who gets an external id and anonymous ids: the changes name them", async () => {
    const installed = await platform().install("identifiers");
    await asUser(installed, { email: "ann@example.com" }, ["traits", { plan: "pro" }]);
    const id = await idOf(installed, ({ email }) => email === "ann@example.com");
    await messages(installed, id, {
      changes: { is_new: true, user: { email: [null, "ann@example.com"], traits_plan: [null, "pro"] } },
    });
    await asUser(installed, { email: "ann@example.com", external_id: "ann" }, ["traits", {}]);
    await messages(installed, id, {
      user: { external_id: "ann" },
      changes: { is_new: false, user: { external_id: [null, "ann"] } },
    });
    await asUser(installed, { external_id: "ann" }, ["alias", { anonymous_id: "browser-1" }]);
    await messages(installed, id, { changes: { user: { anonymous_ids: [[], ["browser-1"]] } } });
    await asUser(installed, { external_id: "ann" }, ["unalias", { anonymous_id: "browser-1" }]);
    await messages(installed, id, { changes: { user: { anonymous_ids: [["browser-1"], []] } } });
  });

  test("a merge: the message about the user that is left has the event User merged and what was taken over", async () => {
    const installed = await platform().install("merged");
    await asUser(installed, { external_id: "ann", email: "ann@example.com" }, ["traits", { plan: "pro" }]);
    await asUser(installed, { anonymous_id: "visitor" }, ["traits", { seen: "/pricing" }]);
    const ann = await idOf(installed, ({ email }) => email === "ann@example.com");
    const visitor = await idOf(installed, ({ traits_seen }) => traits_seen === "/pricing");
    await asUser(installed, { external_id: "ann" }, ["alias", { anonymous_id: "visitor" }]);
    const [last] = (
      await messages(installed, ann, {
        user: { external_id: "ann", traits_seen: "/pricing", anonymous_ids: ["visitor"] },
        changes: { is_new: false, user: { anonymous_ids: [[], ["visitor"]], traits_seen: [null, "/pricing"] } },
      })
    ).slice(-1);
    expect(last?.events).toMatchObject([
      {
        event: "User merged",
        event_source: "hull",
        event_type: "user_merged",
        user_id: ann,
        properties: { user_id: ann, merged_id: visitor, merged_anonymous_ids: ["visitor"] },
      },
    ]);
  });

  test("a user who enters and leaves segments: one event Segments changed in the message", async () => {
    const { server } = platform();
    const installed = await platform().install("moved");
    const free = await server.createSegment("moved", "Free", { term: { "traits_plan.raw": "free" } });
    const pro = await server.createSegment("moved", "Pro", { term: { "traits_plan.raw": "pro" } });
    await asUser(installed, { email: "ann@example.com" }, ["traits", { plan: "free" }]);
    const id = await idOf(installed, ({ email }) => email === "ann@example.com");
    await messages(installed, id, { segments: [{ id: free }] });
    await asUser(installed, { email: "ann@example.com" }, ["traits", { plan: "pro" }]);
    await messages(installed, id, {
      segments: [{ id: pro }],
      changes: { segments: { entered: [{ id: pro, name: "Pro" }], left: [{ id: free, name: "Free" }] } },
      events: [
        {
          event: "Segments changed",
          event_source: "hull",
          event_type: "segments_changed",
          properties: { entered: [{ id: pro, name: "Pro" }], left: [{ id: free, name: "Free" }] },
        },
      ],
    });
  });
}
