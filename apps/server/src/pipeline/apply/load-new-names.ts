import { DAY_MS, type SubjectType } from "@muster/protocol";
import { newAttributesOf } from "../../domain/apply/define-attribute.js";
import { senderOf } from "../../domain/apply/name-sender.js";
import { countersOf, NewNames } from "../../domain/apply/new-names.js";
import type { AttributeDefinitions } from "../../domain/attributes/attribute-definitions.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { Queryable } from "../../storage/postgres/database.js";
import { readStoredNames } from "../../storage/postgres/definitions/new-names.js";
import type { ApplyRules } from "./apply-rules.js";

/** Limits of new names count from midnight UTC. */
export function startOfDay(now: number): Date {
  return new Date(now - (now % DAY_MS));
}

export interface LoadNewNamesOptions {
  rules: Pick<ApplyRules, "newNames" | "hash">;
  attributes: Readonly<Record<SubjectType, AttributeDefinitions>>;
  now: number;
}

/** What is stored about the new attributes of end users, and about these end users. Nearly always no attribute is new. */
export async function loadNewNames(
  database: Queryable,
  organizationId: string,
  entries: readonly Entry[],
  { rules: { newNames, hash }, attributes, now }: LoadNewNamesOptions,
): Promise<NewNames> {
  const counters = new Set<string>();
  const names: { kind: SubjectType; name: string }[] = [];
  for (const entry of newNames.perOrganization === 0 ? [] : entries) {
    const added = entry.byEndUser ? newAttributesOf(entry, attributes[entry.subject]) : [];
    if (added.length === 0) continue;
    for (const counter of countersOf(entry.subject, senderOf(entry, hash))) counters.add(counter);
    for (const { name } of added) names.push({ kind: entry.subject, name });
  }
  if (names.length === 0) return new NewNames(newNames);
  const stored = await readStoredNames(database, organizationId, startOfDay(now), { counters, names });
  return new NewNames(newNames, stored);
}
