import { Refusal, type SubjectType } from "@muster/protocol";
import type {
  Aggregate,
  Compute,
  CountOfEvents,
  OverUsers,
  ValueOfEvents,
} from "@muster/protocol/api/computed-attributes";
import { attributeName, changesWithTime, parse, type Query } from "@muster/query";
import type { AttributeType } from "../attributes/attribute-definitions.js";
import { ATTRIBUTES_CHANGED } from "../events/own-event.js";
import { type Formula, type FormulaOptions, parseFormula } from "./formula.js";

/** The events of a user, or of all users of an account. */
export interface EventsComputation {
  kind: "events";
  /** Whose events: of each user, or of all users of each account. */
  of: SubjectType;
  aggregate: Aggregate;
  event: string;
  property: string | undefined;
  where: Query | undefined;
  /** Events that are older do not count. */
  withinMs: number | undefined;
}

/** The users of an account. */
export interface UsersComputation {
  kind: "users";
  aggregate: Exclude<Aggregate, "first" | "last"> | "share";
  /** Without `traits_`. */
  attribute: string | undefined;
  where: Query | undefined;
}

export interface FormulaComputation {
  kind: "formula";
  formula: Formula;
}

/** How the values of a computed attribute come to be. */
export type Computation = EventsComputation | UsersComputation | FormulaComputation;

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/**
 * Reads a definition that has the shape of `Compute`.
 *
 * @throws QueryError for a query that cannot be read, with its path
 * @throws Refusal for everything else
 */
export function readComputation(target: SubjectType, compute: Compute, options: FormulaOptions = {}): Computation {
  const path = "compute";
  if (compute.formula !== undefined) return { kind: "formula", formula: parseFormula(compute.formula, options) };
  if (compute.over_users !== undefined) {
    if (target === "user") refuse(`${path}.over_users`, "only accounts have users: choose the target account");
    return readOverUsers(compute.over_users, `${path}.over_users`);
  }
  const [aggregate] = Object.keys(compute) as Aggregate[];
  const given = aggregate && compute[aggregate];
  if (aggregate === undefined || given === undefined) return refuse(path, "expected one of the ways to compute");
  if (target === "account") {
    refuse(`${path}.${aggregate}`, "the events of an account are those of its users: write it inside over_users");
  }
  return readEvents(target, aggregate, given, `${path}.${aggregate}`);
}

function readOverUsers(over: OverUsers, path: string): Computation {
  const [aggregate] = Object.keys(over) as (keyof OverUsers)[];
  const given = aggregate && over[aggregate];
  if (aggregate === undefined || given === undefined) return refuse(path, "expected one of the ways to compute");
  const at = `${path}.${aggregate}`;
  if ("event" in given) {
    if (aggregate === "share") return refuse(at, "a share is one of users");
    return readEvents("account", aggregate, given, at);
  }
  if (aggregate === "first" || aggregate === "last") return refuse(at, "only events have an order");
  return {
    kind: "users",
    aggregate,
    attribute: "attribute" in given ? attributeName("user", given.attribute) : undefined,
    where: given.where && parse(given.where, { target: "user", path: `${at}.where` }),
  };
}

function readEvents(
  of: SubjectType,
  aggregate: Aggregate,
  given: CountOfEvents | ValueOfEvents,
  path: string,
): EventsComputation {
  if (given.event === ATTRIBUTES_CHANGED) {
    refuse(`${path}.event`, "each computed value would be such an event again: choose an event of your own");
  }
  const where = given.where && parse(given.where, { target: "event", path: `${path}.where` });
  if (where && changesWithTime(where)) refuse(`${path}.where`, "the time is said by within, not by a query with now");
  return {
    kind: "events",
    of,
    aggregate,
    event: given.event,
    property: "property" in given ? given.property : undefined,
    where,
    withinMs: given.within === undefined ? undefined : millisecondsOf(given.within),
  };
}

function millisecondsOf(within: string): number {
  return Number.parseInt(within, 10) * UNITS[within.at(-1) as keyof typeof UNITS];
}

function refuse(path: string, message: string): never {
  throw new Refusal("invalid_parameter", `${path}: ${message}.`, { details: [{ path: `body.${path}`, message }] });
}

/** What is known of types where a computation is defined. */
export interface KnownTypes {
  /** The type of an attribute of users, by its name. */
  user(name: string): AttributeType | undefined;
  /** The type of the property that figures over events are about. */
  property: AttributeType | undefined;
}

/** The type of the values: what the computation says, then what the caller says, then what is known of what it reads. */
export function typeOfComputation(
  computation: Computation,
  given: AttributeType | undefined,
  known: KnownTypes,
): AttributeType {
  const fixed = fixedType(computation, known);
  if (fixed === undefined) return given ?? guessedType(computation, known);
  if (given !== undefined && given !== fixed) refuse("type", `the type of these values is ${fixed}`);
  return fixed;
}

function guessedType(computation: Computation, known: KnownTypes): AttributeType {
  if (computation.kind === "formula") return refuse("type", "the type does not follow from this formula: say it");
  if (computation.kind === "events" && known.property !== undefined) return known.property;
  const read =
    computation.kind === "events"
      ? `the property "${computation.property}" of "${computation.event}"`
      : `the attribute "${computation.attribute}" of users`;
  return refuse("type", `the type of ${read} is not known: say ${ORDERED_TYPES.join(", ")}`);
}

function fixedType(computation: Computation, known: KnownTypes): AttributeType | undefined {
  if (computation.kind === "formula") return computation.formula.type;
  switch (computation.aggregate) {
    case "count":
    case "sum":
    case "average":
    case "unique":
    case "share":
      return "numeric";
    default:
      return computation.kind === "users" ? known.user(computation.attribute ?? "") : undefined;
  }
}

/** The types that values of first, last, min and max can have. */
export const ORDERED_TYPES: readonly AttributeType[] = ["string", "numeric", "date", "boolean"];

/** The value of a subject that has nothing to compute from. */
export function valueOfNothing(computation: Computation): 0 | null {
  if (computation.kind === "formula") return null;
  const { aggregate } = computation;
  return aggregate === "count" || aggregate === "sum" || aggregate === "unique" ? 0 : null;
}

/** Whether the time alone can change values. */
export function movesWithTime(computation: Computation): boolean {
  if (computation.kind === "formula") return false;
  if (computation.kind === "events") return computation.withinMs !== undefined;
  return computation.where !== undefined && changesWithTime(computation.where);
}
