import { type SubjectType, subjectNames } from "@muster/protocol";
import type { Compute, ComputedPreview } from "@muster/protocol/api/computed-attributes";
import { parse, parseSort } from "@muster/query";
import type { AttributeType } from "../../domain/attributes/attribute-definitions.js";
import { readValue } from "../../domain/attributes/attribute-values.js";
import { loadProfiles } from "../../storage/postgres/profiles/profiles.js";
import { loadAttributeTypes } from "../attributes/attribute-definitions.js";
import { askValues } from "./ask-values.js";
import { checkComputation } from "./check-computation.js";
import { type ExplainOptions, valuesOf } from "./explain-computed.js";
import { isOfEngine, type KnownComputed } from "./known-computed.js";

interface GivenComputation {
  target: SubjectType;
  compute: Compute;
  type?: AttributeType | undefined;
}

const SAMPLE = 20;

/** The values that some users or accounts would get, the latest first. Nothing is stored. */
export async function previewComputed(
  { database, questions }: ExplainOptions,
  organizationId: string,
  { target, compute, type: given }: GivenComputation,
): Promise<ComputedPreview> {
  const { computation, type } = await checkComputation(database, organizationId, { target, compute, type: given });
  const attributeTypes = await loadAttributeTypes(database, organizationId);
  const now = new Date();
  const everybody = { target, query: parse({ match_all: {} }, { target }), attributeTypes, now };
  const isOfEvents = computation.kind === "events" && target === "user";
  // Those who have done something tell more than the many who have not.
  const interesting = isOfEvents
    ? { has_child: { type: "event", query: { term: { event: computation.event } } } }
    : { match_all: {} };
  const sort = parseSort({ [target === "user" ? "last_seen_at" : "created_at"]: "desc" }, { target });
  const page = { sort, limit: SAMPLE };
  const [count, rows] = await Promise.all([
    questions.count(organizationId, everybody),
    questions.page(organizationId, { ...everybody, query: parse(interesting, { target }) }, page),
  ]);
  const ids = rows.map(({ id }) => id);
  const values = await valuesBy({ id: "", subjectType: target, name: "", type, revision: 0, computation });
  return {
    type,
    count,
    sample: rows.map(({ id, report }) => ({
      id,
      name: subjectNames(report)[0] ?? null,
      value: values.get(id) ?? null,
    })),
  };

  async function valuesBy(computed: KnownComputed): Promise<Map<string, unknown>> {
    if (computed.computation.kind === "formula") {
      const { formula } = computed.computation;
      const profiles = await loadProfiles(database, target, organizationId, { ids, identifiers: [] });
      return new Map(
        profiles.map(({ profile }) => {
          const value = formula.evaluate(valuesOf(profile));
          const reading = value === null ? undefined : readValue(type, value);
          return [profile.id, reading?.ok ? reading.value : null];
        }),
      );
    }
    if (!isOfEngine(computed)) return new Map();
    const answer = await askValues(questions, organizationId, [computed], ids, { attributeTypes, now });
    const [refused] = answer.refused;
    if (refused) throw refused.cause;
    return new Map([...answer.values].map(([id, [value]]) => [id, value?.value ?? null]));
  }
}
