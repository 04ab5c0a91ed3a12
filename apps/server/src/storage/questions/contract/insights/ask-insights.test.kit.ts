import type { FunnelRequest, RetentionRequest, TrendRequest } from "@muster/protocol/api/insights";
import { type InsightUsers, parseFunnel, parseRetention, parseTrend, type UsersPage } from "@muster/query";
import type { Questions } from "../../questions.js";
import { NOW } from "../dataset.test.data.js";
import type { Organization } from "../organization.test.kit.js";

export const TIME = { from: "2024-06-01", to: "2024-06-08", time_zone: "UTC", limit: 10 } as const;

export type Given<Request> = Partial<Request>;

/** Asks an engine in the words of the API, about the first week of June 2024 unless a request says otherwise. */
export function insightsOf(questions: () => Questions) {
  return { trend, funnel, retention, usersOf };

  async function trend(organization: Organization, request: Given<TrendRequest>) {
    const context = { attributeTypes: organization.attributeTypes, now: NOW };
    const series = request.series?.map((one) => ({ ...one, measure: one.measure ?? ("count" as const) })) ?? [];
    const [one] = parseTrend({ interval: "day", ...TIME, ...request, series }, context);
    const rows = await questions().trend(organization.id, one!, context);
    return rows.map(({ start, slice, value }) => [new Date(start).toISOString().slice(0, 10), slice, value]);
  }

  async function funnel(organization: Organization, request: Given<FunnelRequest>) {
    const context = { attributeTypes: organization.attributeTypes, now: NOW };
    const parsed = parseFunnel({ within: "1d", ...TIME, ...request, steps: request.steps ?? [] }, context);
    return questions().funnel(organization.id, parsed, context);
  }

  async function retention(organization: Organization, request: Given<RetentionRequest>) {
    const context = { attributeTypes: organization.attributeTypes, now: NOW };
    return questions().retention(
      organization.id,
      parseRetention({ interval: "day", ...TIME, ...request }, context),
      context,
    );
  }

  function usersOf(organization: Organization, who: InsightUsers, page: UsersPage = { limit: 100 }) {
    const context = { attributeTypes: organization.attributeTypes, now: NOW };
    return questions().insightUsers(organization.id, who, page, context);
  }
}
