import { expect, test, vi } from "vitest";
import type { Installed } from "../support/hull-server.js";
import { PATIENCE } from "../support/patience.js";
import type { Step } from "../support/published-app.js";
import type { PublishedPlatform } from "../support/published-platform.js";

type Found = { data: (Record<string, unknown> & { id: string })[]; pagination: { total: number } };

/** Calls of the REST API that public connectors make with the client of their context. */
export function testApi(platform: () => PublishedPlatform): void {
  let installed: Installed;
  let segment: string;
  let annId: string;

  function call<Answer = unknown>(...step: Step): Promise<Answer> {
    return platform().smart.run(installed, ["client"], step);
  }

  test("calls that public connectors make", async () => {
    const { server } = platform();
    installed = await platform().install("api");
    segment = await server.createSegment("api", "Pro", { term: { "traits_plan.raw": "pro" } });
    await server.sendTraits(installed, {
      ann: { plan: "pro", name: "Ann Lee", email: "ann@example.com", "enriched/found_from_domain": "example.com" },
      bob: { plan: "free", name: "Bob Ray" },
    });
    await vi.waitFor(async () => {
      const { data } = await call<Found>("post", "search/user_reports", { query: { term: { segment_ids: segment } } });
      expect(data).toMatchObject([{ external_id: "ann" }]);
      annId = data[0]!.id;
    }, PATIENCE);
    await Promise.all(Object.values(calls).map((check) => check()));
  });

  const calls = {
    async searchesByWords() {
      const fields = ["name", "name.exact", "email", "email.exact", "contact_email", "contact_email.exact"];
      const search = (query: string) => ({
        query: { multi_match: { query, fields } },
        raw: true,
        page: 1,
        per_page: 1,
      });
      expect(await call("post", "search/user_reports", search("Ann Lee"))).toMatchObject({
        data: [{ external_id: "ann" }],
      });
      expect(await call("post", "search/user_reports", search("ann@example.com"))).toMatchObject({
        data: [{ external_id: "ann" }],
      });
    },
    async searchesByAnExactValue() {
      const query = { term: { "traits_enriched/found_from_domain.exact": "example.com" } };
      expect(await call("post", "search/user_reports", { query })).toMatchObject({ pagination: { total: 1 } });
    },
    async searchesWithGet() {
      expect(await call("get", "search/user_reports", { per_page: 1 })).toMatchObject({ pagination: { total: 2 } });
      const params = { query: { term: { external_id: "bob" } }, sort: { created_at: "asc" } };
      expect(await call("get", "search/user_reports", params)).toMatchObject({ data: [{ external_id: "bob" }] });
    },
    async searchesUsersOfAnEvent() {
      const query = {
        filtered: { query: { match_all: {} }, filter: { and: { filters: [{ term: { email: "ann@example.com" } }] } } },
      };
      const page = {
        query,
        raw: true,
        page: 1,
        per_page: "100",
        sort: { created_at: "desc" },
        include: ["id", "email"],
      };
      expect(await call("post", "search/user_reports", page)).toMatchObject({ data: [{ id: annId }] });
      const events = { query: { has_parent: { type: "user_report", query: { ids: { values: [annId] } } } } };
      expect(await call("post", "search/events", events)).toMatchObject({ data: expect.any(Array) });
    },
    async readsAUser() {
      expect(await call("get", `${annId}/user_report`)).toMatchObject({ id: annId, traits_plan: "pro" });
      expect(await call("get", `${annId}/segments`)).toMatchObject([{ id: segment, name: "Pro" }]);
      expect(await call("get", annId)).toMatchObject({ id: annId, email: "ann@example.com" });
    },
    async readsAUserOfAToken() {
      const asAnn = (...steps: Step[]) => platform().smart.run(installed, ["client"], ["asUser", annId], ...steps);
      expect(await asAnn(["get", "me/user_report"])).toMatchObject({ id: annId, traits_plan: "pro" });
      expect(await asAnn(["get", "/me/segments"])).toMatchObject([{ id: segment }]);
      expect(await asAnn(["get", "/me/segments", { create: false }])).toMatchObject([{ id: segment }]);
      expect(await asAnn(["get", "me"])).toMatchObject({ id: annId });
    },
    async readsSegments() {
      expect(await call("get", "/users_segments", { shipId: installed.id, limit: 500 })).toMatchObject([
        { id: segment },
      ]);
      expect(await call("get", "segments")).toMatchObject([{ id: segment, type: "users_segment" }]);
      expect(await call("get", "/accounts_segments")).toEqual([]);
      expect(await call("get", segment)).toMatchObject({ query: { term: { "traits_plan.raw": "pro" } } });
    },
    async readsTheSchema() {
      const properties: Step[] = [["client"], ["utils"], ["properties"], ["get"]];
      expect(await platform().smart.run(installed, ...properties)).toMatchObject({
        traits_plan: { type: "string" },
        "traits_enriched/found_from_domain": { type: "string" },
        email: { type: "string" },
      });
      const keys = (await call<{ key: string }[]>("get", "users/schema")).map(({ key }) => key);
      expect(keys).toEqual(expect.arrayContaining(["traits_plan", "email"]));
      expect(await call("get", "accounts/schema")).toEqual(expect.any(Array));
      expect(await call("get", "search/account_reports/bootstrap")).toMatchObject({ tree: expect.any(Array) });
    },
    async readsItself() {
      expect(await call("get", "app")).toMatchObject({ id: installed.id, accept_incoming_webhooks: true });
      expect(await call("get", installed.id)).toMatchObject({ id: installed.id, source_url: platform().smart.url });
      expect(await call("api", "app", "get", {})).toMatchObject({ id: installed.id });
    },
    async startsAnImportWithFieldsThatOnlyTheOldServiceKnows() {
      const job = await call("post", "/import/users", {
        url: "https://files.example.com/users.json",
        format: "json",
        notify: true,
        emit_event: false,
        overwrite: true,
        name: "Import from a database, part 1",
        schedule_at: new Date(Date.now() + 3_600_000).toISOString(),
        stats: { size: 2 },
        size: 2,
        import_id: "an id",
        part_number: 1,
      });
      expect(job).toMatchObject({ id: expect.any(String), status: "scheduled" });
      const { id } = job as { id: string };
      expect(await call("get", id)).toMatchObject({ id, name: "Import from a database, part 1" });
      await call("del", id);
    },
    async readsAndWritesLogs() {
      await call("post", "app/logs", {
        level: "error",
        message: "sync.error",
        data: { hull_summary: "The key expired" },
      });
      await vi.waitFor(async () => {
        expect(await call("get", `${installed.id}/logs`)).toMatchObject([{ message: "sync.error" }]);
      }, PATIENCE);
    },
  };
}
