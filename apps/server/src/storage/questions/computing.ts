import type { SubjectType } from "@muster/protocol";
import type { ComputedValues, EventAggregate, UserAggregate } from "@muster/query";
import type { AskOptions, Selection } from "./asking.js";

/** What the aggregates need to know about their organization and the time. */
export type ComputingContext = Pick<Selection, "attributeTypes" | "now">;

/** Some subjects. */
export interface AmongSubjects {
  subjectType: SubjectType;
  ids: readonly string[];
}

/** Computes figures of many subjects at once. Each call is one statement. */
export interface Computing {
  /**
   * Figures over the events of users, or of all users that accounts have now, by the id of the subject. Subjects without
   * any of the events may be missing.
   */
  aggregateEvents(
    organizationId: string,
    aggregates: readonly EventAggregate[],
    among: AmongSubjects,
    context: ComputingContext,
    options?: AskOptions,
  ): Promise<Map<string, ComputedValues>>;
  /** Figures over the users that accounts have now, by the id of the account. Accounts without users may be missing. */
  aggregateUsers(
    organizationId: string,
    aggregates: readonly UserAggregate[],
    accountIds: readonly string[],
    context: ComputingContext,
    options?: AskOptions,
  ): Promise<Map<string, ComputedValues>>;
  /** The ids of the users or accounts that match, after an id and in their order. */
  idsAfter(
    organizationId: string,
    selection: Selection,
    page: { after: string; limit: number },
    options?: AskOptions,
  ): Promise<string[]>;
}
