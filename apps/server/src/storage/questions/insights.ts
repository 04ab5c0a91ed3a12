import type {
  Funnel,
  FunnelRow,
  InsightUsers,
  MembersThen,
  MembersThenCounts,
  Retention,
  RetentionRow,
  Trend,
  TrendRow,
  UsersPage,
} from "@muster/query";
import type { AskOptions, Selection } from "./asking.js";

/** What a query needs to know about its organization and the time. */
export type InsightContext = Pick<Selection, "attributeTypes" | "now">;

/** Figures over the events of many users: how they move, how far users come, and who comes back. */
export interface Insights {
  /** One row for each unit of time, and for each value of the breakdown, that has events. */
  trend(organizationId: string, trend: Trend, context: InsightContext, options?: AskOptions): Promise<TrendRow[]>;
  /** One row, or one for each value of the breakdown. */
  funnel(organizationId: string, funnel: Funnel, context: InsightContext, options?: AskOptions): Promise<FunnelRow[]>;
  /** One row for each unit of time in which users began, and one for each unit in which some of them came back. */
  retention(
    organizationId: string,
    retention: Retention,
    context: InsightContext,
    options?: AskOptions,
  ): Promise<RetentionRow[]>;
  /** The ids of the users behind a number, in their order. */
  insightUsers(
    organizationId: string,
    who: InsightUsers,
    page: UsersPage,
    context: InsightContext,
    options?: AskOptions,
  ): Promise<string[]>;
  /** The ids of the members of a segment at a moment, or of those who differ from the present ones, in their order. */
  membersThen(
    organizationId: string,
    given: MembersThen,
    page: UsersPage,
    context: InsightContext,
    options?: AskOptions,
  ): Promise<string[]>;
  countMembersThen(
    organizationId: string,
    given: Omit<MembersThen, "who">,
    context: InsightContext,
    options?: AskOptions,
  ): Promise<MembersThenCounts>;
}
