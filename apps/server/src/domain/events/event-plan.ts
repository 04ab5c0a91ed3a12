import { readDate } from "../attributes/read-date.js";

/** What a property of an event must be. */
export interface PlannedProperty {
  name: string;
  type: PropertyType;
  required: boolean;
  description: string;
}

export type PropertyType = "string" | "number" | "boolean" | "date" | "array" | "json";

/** What an organization has decided about a name of events, as far as new events must know it. */
export interface EventPlan {
  name: string;
  /** Null: any properties. */
  properties: readonly PlannedProperty[] | null;
  /** Events that do not follow the plan are refused. */
  refuses: boolean;
  /** The name into which this one was merged. That name may have been merged into another since. */
  mergedInto: string | null;
}

/** The name of an event, and the name that it came with, when this was merged into the first. */
export interface NamedEvent {
  event: string;
  sentAs?: string | undefined;
}

export interface PlanProblem {
  property: string;
  problem: "unknown" | "wrong_type" | "missing";
  /** The type of the value; empty for a missing property. */
  found: string;
  /** The type that the plan asks for; empty for a property that the plan does not know. */
  expected: string;
}

// One event may have thousands of unknown properties. Ten show what is wrong.
const MAX_PROBLEMS = 10;
// jsonb and text cannot store NUL characters, and an index holds the name.
const MAX_NAME_LENGTH = 256;

type Planned = ReadonlyMap<string, PlannedProperty>;

/** The plans of an organization, with the look-ups that every event needs. They never change. */
export class EventPlans {
  readonly #mergedInto = new Map<string, string>();
  readonly #planned = new Map<string, { properties: Planned; required: readonly string[]; refuses: boolean }>();

  constructor(plans: Iterable<EventPlan>) {
    for (const { name, properties, refuses, mergedInto } of plans) {
      if (mergedInto !== null) this.#mergedInto.set(name, mergedInto);
      if (properties === null) continue;
      const required = properties.filter((property) => property.required).map((property) => property.name);
      this.#planned.set(name, {
        properties: new Map(properties.map((property) => [property.name, property])),
        required,
        refuses,
      });
    }
  }

  /** Whether any name was merged into another. */
  get hasMerges(): boolean {
    return this.#mergedInto.size > 0;
  }

  /** The name under which events with this name are stored. */
  currentName(name: string): string {
    let current = name;
    // No name is merged into itself by way of others, because merges go to the current name.
    for (let next = this.#mergedInto.get(name); next !== undefined; next = this.#mergedInto.get(next)) current = next;
    return current;
  }

  /** The name and all names that were merged into it, also by way of others. */
  namesUnder(name: string): string[] {
    const names = [name];
    for (const reached of names) {
      for (const [from, into] of this.#mergedInto) if (into === reached) names.push(from);
    }
    return names;
  }

  /** A stored event, and what was stored before it, under the names that they have now. */
  underCurrentName<Stored extends NamedEvent & { stored?: NamedEvent | undefined }>(known: Stored): Stored {
    if (!this.hasMerges) return known;
    const { stored } = known;
    return { ...known, ...this.#named(known), ...(stored ? { stored: { ...stored, ...this.#named(stored) } } : {}) };
  }

  #named({ event }: NamedEvent): NamedEvent {
    const current = this.currentName(event);
    return current === event ? { event } : { event: current, sentAs: event };
  }

  /** What is wrong with the properties of an event, and whether it is refused for that. Undefined when nothing is. */
  check(
    name: string,
    properties: Readonly<Record<string, unknown>>,
  ): { problems: PlanProblem[]; refuses: boolean } | undefined {
    const plan = this.#planned.get(name);
    if (!plan) return undefined;
    const problems = problemsOf(plan.properties, plan.required, properties);
    return problems.length === 0 ? undefined : { problems, refuses: plan.refuses };
  }
}

function problemsOf(
  planned: Planned,
  required: readonly string[],
  properties: Readonly<Record<string, unknown>>,
): PlanProblem[] {
  const problems: PlanProblem[] = [];
  for (const property of required) {
    if (problems.length === MAX_PROBLEMS) return problems;
    const value = Object.hasOwn(properties, property) ? properties[property] : undefined;
    if (value !== null && value !== undefined) continue;
    problems.push({ property, problem: "missing", found: "", expected: planned.get(property)!.type });
  }
  for (const name of Object.keys(properties)) {
    if (problems.length === MAX_PROBLEMS) return problems;
    const value = properties[name];
    if (value === null || value === undefined) continue;
    const type = planned.get(name)?.type;
    if (type !== undefined && fits(type, value)) continue;
    const property = name.slice(0, MAX_NAME_LENGTH).replaceAll("\0", "");
    const problem = type === undefined ? "unknown" : "wrong_type";
    problems.push({ property, problem, found: jsonTypeOf(value), expected: type ?? "" });
  }
  return problems;
}

function fits(type: PropertyType, value: unknown): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "json":
      return typeof value === "object";
    case "date":
      return typeof value === "string" && readDate(value) !== undefined;
    default:
      return typeof value === type;
  }
}

function jsonTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "object" ? "json" : typeof value;
}

/** Why a plan refuses an event, as a sentence. */
export function refusalOf(event: string, problems: readonly PlanProblem[]): string {
  const [first, ...others] = problems.map(describe);
  const more = others.map((other) => ` Also ${other}.`).join("");
  return `The tracking plan of the event "${event}" refuses it: ${first}.${more}`;
}

function describe({ property, problem, found, expected }: PlanProblem): string {
  switch (problem) {
    case "unknown":
      return `the property "${property}" is not in the plan`;
    case "missing":
      return `the property "${property}" (${expected}) is missing`;
    case "wrong_type":
      return `the property "${property}" must be ${expected} and is ${found}`;
  }
}

// A micro-batch has at most 4,000 entries. More different problems than this are not counted.
const MAX_COUNTED = 500;

export interface CountedProblem extends Omit<PlanProblem, "expected"> {
  name: string;
  count: number;
  refused: number;
}

/** Counts what did not follow the plans in a micro-batch. */
export class PlanProblems {
  readonly #counted = new Map<string, CountedProblem>();

  note(name: string, problems: readonly PlanProblem[], isRefused: boolean): void {
    for (const { property, problem, found } of problems) {
      const key = JSON.stringify([name, property, problem]);
      const known = this.#counted.get(key);
      if (!known && this.#counted.size >= MAX_COUNTED) continue;
      const counted = known ?? { name, property, problem, found, count: 0, refused: 0 };
      counted.found = found;
      counted.count++;
      if (isRefused) counted.refused++;
      this.#counted.set(key, counted);
    }
  }

  all(): CountedProblem[] {
    return [...this.#counted.values()];
  }
}
