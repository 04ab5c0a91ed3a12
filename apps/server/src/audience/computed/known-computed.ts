import type { SubjectType } from "@muster/protocol";
import { Refusal } from "@muster/protocol";
import { QueryError } from "@muster/query";
import { LRUCache } from "lru-cache";
import {
  type Computation,
  type EventsComputation,
  readComputation,
  type UsersComputation,
  valueOfNothing,
} from "../../domain/computed/computation.js";
import { computedNameProblem } from "../../domain/computed/computed-name-problem.js";
import { orderFormulas } from "../../domain/computed/formula-order.js";
import type { OwnFormula, OwnValues } from "../../domain/computed/own-values.js";
import { listComputed, type StoredComputed } from "../../storage/postgres/computed/computed-attributes.js";
import type { Queryable } from "../../storage/postgres/database.js";

/** A computed attribute that can be computed. Its progress is not known here. */
export interface KnownComputed extends Pick<StoredComputed, "id" | "subjectType" | "name" | "type" | "revision"> {
  computation: Computation;
}

/** A computed attribute that the question engine computes. */
export interface EngineComputed extends KnownComputed {
  computation: EventsComputation | UsersComputation;
}

export interface RefusedComputed {
  computed: KnownComputed;
  problem: string;
  cause: unknown;
}

export function isOfEngine(computed: KnownComputed): computed is EngineComputed {
  return computed.computation.kind !== "formula";
}

/** The computed attributes of an organization, as far as they can be read. */
export interface KnownComputations {
  all: readonly KnownComputed[];
  /** What follows from the values of one subject alone. */
  own: Record<SubjectType, OwnValues>;
}

// A definition takes about a kilobyte.
const MAX_REMEMBERED = 20_000;
/** By their revision. */
const remembered = new LRUCache<string, KnownComputations>({
  maxSize: MAX_REMEMBERED,
  sizeCalculation: ({ all }) => 1 + all.length,
});

/** The computed attributes of an organization at a revision. Reads them only when it has changed since the last call. */
export async function loadComputed(
  database: Queryable,
  organizationId: string,
  revision: string,
): Promise<KnownComputations> {
  const kept = remembered.get(revision);
  if (kept) return kept;
  const all = (await listComputed(database, organizationId))
    .filter(({ problem }) => problem === null)
    .flatMap(knownComputed);
  const loaded = { all, own: { user: ownValues(all, "user"), account: ownValues(all, "account") } };
  remembered.set(revision, loaded);
  return loaded;
}

/** What an older version of the server allowed, and this one cannot read or does not allow, is not computed. */
export function knownComputed({ id, subjectType, name, type, revision, compute }: StoredComputed): KnownComputed[] {
  if (computedNameProblem(subjectType, name) !== undefined) return [];
  try {
    return [{ id, subjectType, name, type, revision, computation: readComputation(subjectType, compute) }];
  } catch (error) {
    if (error instanceof QueryError || error instanceof Refusal) return [];
    throw error;
  }
}

function ownValues(all: readonly KnownComputed[], subjectType: SubjectType): OwnValues {
  const mine = all.filter((one) => one.subjectType === subjectType);
  const formulas = mine.flatMap(({ id, name, type, computation }): OwnFormula[] =>
    computation.kind === "formula"
      ? [{ id, name, type, reads: computation.formula.reads, formula: computation.formula }]
      : [],
  );
  const ordered = orderFormulas(formulas);
  return {
    // Definitions in a circle are refused, so there is an order.
    formulas: "order" in ordered ? ordered.order : [],
    zeros: mine.filter(({ computation }) => valueOfNothing(computation) === 0).map(({ id, name }) => ({ id, name })),
  };
}
