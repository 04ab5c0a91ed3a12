import { type SubjectType, subjectNames } from "@muster/protocol";
import type { ComputedExplanation } from "@muster/protocol/api/computed-attributes";
import { type AttributeTypes, parse, parseSort, type Query, reportKey, type Target } from "@muster/query";
import type { AttributeValue } from "../../domain/attributes/attribute-values.js";
import type { EventsComputation, UsersComputation } from "../../domain/computed/computation.js";
import type { Profile } from "../../domain/profiles/profile.js";
import { listComputed } from "../../storage/postgres/computed/computed-attributes.js";
import type { Database } from "../../storage/postgres/database.js";
import type { FoundRow, Selection } from "../../storage/questions/asking.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { askValues, eventsOf } from "./ask-values.js";
import { computedRecord } from "./computed-record.js";
import { isOfEngine, knownComputed } from "./known-computed.js";

export interface ExplainOptions {
  database: Database;
  questions: Questions;
}

const SHOWN = 10;

/** How the computed value of a subject came to be. Undefined when the subject has no computed attribute of that name. */
export async function explainComputed(
  { database, questions }: ExplainOptions,
  organizationId: string,
  profile: Profile,
  name: string,
): Promise<ComputedExplanation | undefined> {
  const { subjectType, id, cells } = profile;
  const stored = (await listComputed(database, organizationId)).find(
    (one) => one.subjectType === subjectType && one.name === name,
  );
  const [computed] = stored ? knownComputed(stored) : [];
  if (!stored || !computed) return undefined;
  const { computation } = computed;
  const explained = {
    definition: computedRecord(stored),
    value: cells.get(name)?.value ?? null,
    computed: null as unknown,
    events: null,
    inputs: null,
    users: null,
  };
  if (computation.kind === "formula") {
    const values = valuesOf(profile);
    const inputs = computation.formula.reads.map((read) => ({ name: read, value: values.get(read) ?? null }));
    return { ...explained, computed: computation.formula.evaluate(values), inputs };
  }
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const now = new Date();
  const asking = { questions, organizationId, attributeTypes, now };
  if (!isOfEngine(computed)) return explained;
  const answer = await askValues(questions, organizationId, [computed], [id], { attributeTypes, now });
  const value = answer.values.get(id)?.[0]?.value ?? null;
  if (computation.kind === "users")
    return { ...explained, computed: value, users: await usersBehind(asking, id, computation) };
  return {
    ...explained,
    computed: value,
    events: await eventsBehind(asking, subjectType, id, computation),
    users: subjectType === "user" ? null : { ...(await usersOf(asking, id)), largest: [] },
  };
}

/** The values of a profile that are set, by name. */
export function valuesOf({ cells }: Profile): Map<string, AttributeValue> {
  return new Map([...cells].flatMap(([name, { value }]) => (value === null ? [] : [[name, value] as const])));
}

interface Asking {
  questions: Questions;
  organizationId: string;
  attributeTypes: AttributeTypes;
  now: Date;
}

function select({ attributeTypes, now }: Asking, target: Target, must: readonly Query[]): Selection {
  return { target, query: { kind: "bool", path: "", must, should: [], mustNot: [], minimum: 0 }, attributeTypes, now };
}

async function eventsBehind(asking: Asking, subjectType: SubjectType, id: string, computation: EventsComputation) {
  const { questions, organizationId, now } = asking;
  const { withinMs, property } = computation;
  const from = withinMs === undefined ? null : new Date(now.getTime() - withinMs).toISOString();
  const own =
    subjectType === "user"
      ? { term: { user_id: id } }
      : { has_parent: { parent_type: "user_report", query: { term: { account_id: id } } } };
  const selection = select(asking, "event", [
    eventsOf(computation),
    parse(own, { target: "event" }),
    ...(from === null ? [] : [parse({ range: { created_at: { gte: from } } }, { target: "event" })]),
  ]);
  const page = (order: "asc" | "desc") => {
    const sort = parseSort({ created_at: order }, { target: "event" });
    return questions.page(organizationId, selection, { sort, limit: SHOWN });
  };
  const [count, first, last] = await Promise.all([
    questions.count(organizationId, selection),
    page("asc"),
    page("desc"),
  ]);
  const shown = ({ id: eventId, report }: FoundRow) => ({
    id: eventId,
    event: String(report.event),
    created_at: String(report.created_at),
    user_id: String(report.user_id),
    value: property === undefined ? null : (propertyOf(report.properties, property) ?? null),
  });
  return { count, from, first: first.map(shown), last: last.map(shown) };
}

/** A property by its name, or by a path with dots. */
function propertyOf(properties: unknown, path: string): unknown {
  if (typeof properties !== "object" || properties === null) return undefined;
  const bag = properties as Record<string, unknown>;
  if (Object.hasOwn(bag, path)) return bag[path];
  const dot = path.indexOf(".");
  if (dot < 0) return undefined;
  const outer = path.slice(0, dot);
  return Object.hasOwn(bag, outer) ? propertyOf(bag[outer], path.slice(dot + 1)) : undefined;
}

async function usersOf(asking: Asking, accountId: string, where?: Query): Promise<{ total: number; count: number }> {
  const { questions, organizationId } = asking;
  const linked = parse({ term: { account_id: accountId } }, { target: "user" });
  const total = await questions.count(organizationId, select(asking, "user", [linked]));
  const count = where ? await questions.count(organizationId, select(asking, "user", [linked, where])) : total;
  return { total, count };
}

async function usersBehind(asking: Asking, accountId: string, { attribute, where }: UsersComputation) {
  const { questions, organizationId } = asking;
  const counts = await usersOf(asking, accountId, where);
  const key = attribute === undefined ? undefined : reportKey("user", attribute);
  const selection = select(asking, "user", [
    parse({ term: { account_id: accountId } }, { target: "user" }),
    ...(where ? [where] : []),
    ...(key === undefined ? [] : [parse({ exists: { field: key } }, { target: "user" })]),
  ]);
  const sort = parseSort({ [key ?? "last_seen_at"]: "desc" }, { target: "user" });
  const rows = await questions.page(organizationId, selection, { sort, limit: SHOWN });
  const largest = rows.map(({ id, report }) => ({
    id,
    name: subjectNames(report)[0] ?? null,
    value: key === undefined ? null : (report[key] ?? null),
  }));
  return { ...counts, largest };
}
