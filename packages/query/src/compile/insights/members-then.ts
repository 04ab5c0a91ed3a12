import { MUSTER_SOURCE, SEGMENT_EVENTS } from "@muster/protocol";
import type { MembersThen, MembersThenCounts, UsersPage } from "../../insight.js";
import { allOf, type Field, type Query } from "../../query.js";
import { columnOf } from "../column-of.js";
import { compileQuery } from "../compile-query.js";
import { negate, oneIf, or } from "../logic.js";
import { type CompileOptions, enter, openScope, ownerKey, rowsOf, type Scope } from "../scope.js";
import type { Statement } from "../statement-params.js";
import type { CompiledUsers } from "./users.js";

export interface CompiledMemberCounts {
  readonly statement: Statement;
  readonly read: (rows: readonly Readonly<Record<string, unknown>>[]) => MembersThenCounts;
}

/** Selects the ids of those who were members of a segment at a moment, or who differ from its present members. */
export function compileMembersThen(
  given: MembersThen,
  { after, limit }: UsersPage,
  options: CompileOptions,
): CompiledUsers {
  const scope = openScope({ ...options, target: given.subjectType });
  const { who } = given;
  const { isMember, hasEntered, hasLeft } = compare(given, scope);
  const condition = {
    before: or([`(${isMember} and ${negate(hasEntered)})`, hasLeft]),
    entered: hasEntered,
    left: hasLeft,
  }[who];
  const { sql: id } = columnOf({ target: given.subjectType, key: "id", exact: true }, scope);
  const further = after === undefined ? "" : ` and ${id} > ${scope.params.add("id", after)}`;
  const sql = `select ${scope.dialect.idText(id)} as subject_id from ${rowsOf(given.subjectType, scope)} and ${condition}${further} order by ${id} limit ${limit}`;
  return {
    statement: { sql, params: scope.params.values },
    read: (rows) => rows.map(({ subject_id: found }) => String(found)),
  };
}

/** Counts the same. */
export function compileMembersThenCounts(
  given: Omit<MembersThen, "who">,
  options: CompileOptions,
): CompiledMemberCounts {
  const scope = openScope({ ...options, target: given.subjectType });
  const { isMember, hasEntered, hasLeft } = compare(given, scope);
  const counts = [
    `sum(${oneIf(isMember)}) as now`,
    `sum(${oneIf(hasEntered)}) as entered`,
    `sum(${oneIf(hasLeft)}) as gone`,
  ];
  const sql = `select ${counts.join(", ")} from ${rowsOf(given.subjectType, scope)} and ${or([isMember, hasEntered, hasLeft])}`;
  return {
    statement: { sql, params: scope.params.values },
    read: ([row]) => {
      const count = (name: string) => Number(row?.[name] ?? 0);
      const [now, entered, left] = [count("now"), count("entered"), count("gone")];
      return { before: now - entered + left, now, entered, left };
    },
  };
}

/**
 * Conditions on a subject. Moves in and out alternate, so the moves since a moment add up: somebody who entered once more
 * than left was not a member then, and the other way round.
 */
function compare({ segmentId, subjectType, at }: Omit<MembersThen, "who">, scope: Scope) {
  const { dialect, params } = scope;
  const ofEvents = enter(scope, "event");
  const owner = ownerKey({ ...ofEvents, target: subjectType });
  const whose = (sign: "<" | ">") => {
    const moves = `${rowsOf("event", ofEvents)} and ${compileQuery(movesSince(segmentId, at), ofEvents)}`;
    const step = `case when ${compileQuery(oneOf("event", [SEGMENT_EVENTS.entered]), ofEvents)} then 1 else -1 end`;
    return `${dialect.key} in (select ${owner} from ${moves} group by ${owner} having sum(${step}) ${sign} 0)`;
  };
  return {
    isMember: `${dialect.key} in (${dialect.memberKeys([segmentId], undefined, params)})`,
    hasEntered: whose(">"),
    hasLeft: whose("<"),
  };
}

function movesSince(segmentId: string, at: number): Query {
  return allOf("", [
    oneOf("source", [MUSTER_SOURCE]),
    oneOf("event", Object.values(SEGMENT_EVENTS)),
    oneOf("properties.segment_id", [segmentId]),
    {
      kind: "range",
      path: "",
      field: fieldOf("created_at"),
      bounds: { gt: at },
      format: undefined,
      timeZone: undefined,
    },
  ]);
}

function oneOf(key: string, values: readonly string[]): Query {
  return { kind: "terms", path: "", field: fieldOf(key), values };
}

function fieldOf(key: string): Field {
  return { target: "event", key, exact: true };
}
