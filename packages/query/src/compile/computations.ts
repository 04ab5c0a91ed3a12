import type { SubjectType } from "@muster/protocol";
import type { ComputedValues, EventAggregate, UserAggregate } from "../computation.js";
import type { Query } from "../query.js";
import { QueryError } from "../query-error.js";
import type { FieldType } from "../target.js";
import { eventNamesOf } from "../tree/query-dependencies.js";
import { columnOf } from "./column-of.js";
import { compileQuery } from "./compile-query.js";
import { and, TRUE } from "./logic.js";
import { type CompileOptions, enter, openScope, rowsOf, type Scope } from "./scope.js";
import type { Statement } from "./statement-params.js";

export interface CompiledComputations {
  readonly statement: Statement;
  /** The answers by the id of the subject. Subjects without any event, or any user, may be missing. */
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => Map<string, ComputedValues>;
}

/** A figure: the values that are read from each row, and the computation over them. */
interface Figure {
  readonly values: readonly string[];
  readonly sql: string;
  readonly type: FieldType;
}

/** Compiles figures over the events of users, or of all users of accounts, in one statement. */
export function compileEventAggregates(
  aggregates: readonly EventAggregate[],
  of: SubjectType,
  ids: readonly string[],
  options: CompileOptions,
): CompiledComputations {
  const scope = openScope({ ...options, target: "event" });
  const { dialect, params } = scope;
  const among = dialect.among(ids, params);
  const figures = aggregates.map((aggregate, place) => eventFigure(aggregate, place, scope));
  const time = dialect.eventColumn("created_at")?.sql ?? "created_at";
  const values = figures.flatMap((figure) => figure.values);
  const columns = [
    `${dialect.userKey} as owner`,
    `${dialect.milliseconds(time)} as moment`,
    "id as event_place",
    ...values,
  ];
  const owners =
    of === "user"
      ? among(dialect.userKey)
      : `${dialect.userKey} in (select ${dialect.key} from ${rowsOf("user", enter(scope, "user"))} and ${among(dialect.accountKey)})`;
  const rows = `select ${columns.join(", ")} from ${rowsOf("event", scope)} and ${and([namesOf(aggregates, scope), owners])}`;
  const results = figures.map(({ sql }, place) => `${sql} as r${place}`).join(", ");
  const figured =
    of === "user"
      ? `select owner, ${results} from (${rows}) as found group by owner`
      : `select account as owner, ${results} from (${rows}) as found join (${usersOf(among, scope)}) as members on owner = member group by account`;
  return withIds(figured, of, among, figures, scope);
}

/** Compiles figures over the users of accounts, in one statement. */
export function compileUserAggregates(
  aggregates: readonly UserAggregate[],
  accountIds: readonly string[],
  options: CompileOptions,
): CompiledComputations {
  const scope = openScope({ ...options, target: "user" });
  const { dialect, params } = scope;
  const among = dialect.among(accountIds, params);
  const figures = aggregates.map((aggregate, place) => userFigure(aggregate, place, scope));
  const values = figures.flatMap((figure) => figure.values);
  const rows = `select ${[`${dialect.accountKey} as owner`, ...values].join(", ")} from ${rowsOf("user", scope)} and ${among(dialect.accountKey)}`;
  const results = figures.map(({ sql }, place) => `${sql} as r${place}`).join(", ");
  const figured = `select owner, ${results} from (${rows}) as found group by owner`;
  return withIds(figured, "account", among, figures, scope);
}

/** Compiles the ids of the users or accounts that match a query, in their order. */
export function compileIds(
  query: Query,
  { after, limit }: { after: string; limit: number },
  options: CompileOptions,
): { statement: Statement; read: (rows: readonly Readonly<Record<string, unknown>>[]) => string[] } {
  const scope = openScope(options);
  const { dialect, params, target } = scope;
  const id = dialect.idText("id");
  const sql = `select ${id} as subject from ${rowsOf(target, scope)} and ${and([compileQuery(query, scope), `${id} > ${params.add("text", after)}`])} order by subject limit ${params.add("integer", limit)}`;
  return { statement: { sql, params: params.values }, read: (rows) => rows.map(({ subject }) => String(subject)) };
}

function usersOf(among: (keySql: string) => string, scope: Scope): string {
  const { key, accountKey } = scope.dialect;
  return `select ${key} as member, ${accountKey} as account from ${rowsOf("user", enter(scope, "user"))} and ${among(accountKey)}`;
}

/** Adds the ids of the subjects, which the events of an engine need not have. */
function withIds(
  figured: string,
  of: SubjectType,
  among: (keySql: string) => string,
  figures: readonly Figure[],
  scope: Scope,
): CompiledComputations {
  const { dialect, params } = scope;
  const subjects = `select ${dialect.key} as known, ${dialect.idText("id")} as subject from ${rowsOf(of, enter(scope, of))} and ${among(dialect.key)}`;
  const sql = `select subject, ${figures.map((_, place) => `r${place}`).join(", ")} from (${figured}) as figures join (${subjects}) as subjects on owner = known`;
  return {
    statement: { sql, params: params.values },
    read: (rows) =>
      new Map(
        rows.map((row) => [String(row.subject), figures.map(({ type }, place) => readValue(type, row[`r${place}`]))]),
      ),
  };
}

function readValue(type: FieldType, value: unknown): string | number | boolean | null {
  if (value === null || value === undefined) return null;
  if (type === "numeric" || type === "date") {
    const number = Number(value);
    return Number.isFinite(number) ? number : null;
  }
  return type === "boolean" ? Boolean(value) : String(value);
}

/** Only events with the names that the aggregates are about: an engine finds them quickly. */
function namesOf(aggregates: readonly EventAggregate[], scope: Scope): string {
  const names = aggregates.map(({ query }) => eventNamesOf(query));
  if (names.some((some) => some === undefined)) return TRUE;
  const all = [...new Set(names.flatMap((some) => some ?? []))];
  return scope.dialect.isOneOf("event", "text", all, scope.params);
}

function eventFigure(aggregate: EventAggregate, place: number, scope: Scope): Figure {
  const { dialect, params, now } = scope;
  const { query, withinMs, property, type } = aggregate;
  const created = columnOf({ target: "event", key: "created_at", exact: true }, scope).sql;
  const since =
    withinMs === undefined
      ? TRUE
      : `${created} >= ${dialect.instant(params.add("integer", Math.trunc(now.getTime() - withinMs)))}`;
  const counts = and([compileQuery(query, scope), since]);
  const given = (sql: string) => `case when ${counts} then ${sql} end`;
  const v = `v${place}`;
  if (property === undefined) return { values: [`${given("1")} as ${v}`], sql: `count(${v})`, type };
  const column = columnOf({ target: "event", key: `properties.${property}`, exact: true }, scope);
  const parts = dialect.dynamic(column.sql);
  if (aggregate.aggregate === "unique") {
    // Counted by type, because one column of an engine has one type. A list is no value of this kind.
    const values = [parts.text, parts.number, parts.boolean];
    return {
      values: values.map((sql, index) => `${given(sql)} as ${v}_${index}`),
      sql: values.map((_, index) => `count(distinct ${v}_${index})`).join(" + "),
      type,
    };
  }
  const isNumber = aggregate.aggregate === "sum" || aggregate.aggregate === "average";
  const read = { numeric: parts.number, date: dialect.millisecondsOfText(parts.text), boolean: parts.boolean };
  const value = isNumber ? parts.number : (read[type as keyof typeof read] ?? parts.text);
  return { values: [`${given(value)} as ${v}`], sql: overRows(aggregate.aggregate, v, scope), type };
}

function overRows(aggregate: EventAggregate["aggregate"], v: string, { dialect }: Scope): string {
  switch (aggregate) {
    case "count":
    case "unique":
      return `count(${v})`;
    case "average":
      return `avg(${v})`;
    case "first":
      return dialect.earliest(v, ["moment", "event_place"]);
    case "last":
      return dialect.latest(v, ["moment", "event_place"]);
    default:
      return `${aggregate}(${v})`;
  }
}

function userFigure({ aggregate, query, attribute, type }: UserAggregate, place: number, scope: Scope): Figure {
  const counts = query === undefined ? TRUE : compileQuery(query, scope);
  const v = `v${place}`;
  if (attribute === undefined) {
    if (aggregate === "share") {
      return { values: [`case when ${counts} then 1.0 else 0.0 end as ${v}`], sql: `avg(${v})`, type };
    }
    return { values: [`case when ${counts} then 1 end as ${v}`], sql: `count(${v})`, type };
  }
  const isText = aggregate === "unique" || type === "string";
  const sql = attributeValue(attribute, aggregate, isText ? undefined : type, scope);
  const over = { unique: `count(distinct ${v})`, average: `avg(${v})` }[aggregate as string] ?? `${aggregate}(${v})`;
  return { values: [`case when ${counts} then ${sql} end as ${v}`], sql: over, type };
}

function attributeValue(key: string, aggregate: string, wanted: FieldType | undefined, scope: Scope): string {
  const { dialect } = scope;
  const column = columnOf({ target: "user", key, exact: true }, scope);
  const type = column.type === "instant" ? "date" : column.type;
  if (type === "unknown") return dialect.nullOf(wanted === undefined ? "text" : "number");
  const isScalar = type !== "array" && type !== "memberships" && type !== "dynamic";
  if (!isScalar || (wanted !== undefined && type !== wanted)) {
    throw new QueryError(key, `${aggregate} needs ${wanted ?? "a single value"}, and the type is ${type}`);
  }
  if (column.type === "instant") return dialect.milliseconds(column.sql);
  return column.type === "id" ? dialect.idText(column.sql) : column.sql;
}
