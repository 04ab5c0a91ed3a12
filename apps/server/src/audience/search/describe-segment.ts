import type { SubjectType } from "@muster/protocol";
import { attributeName, describeQuery, type Query } from "@muster/query";
import type { Database } from "../../storage/postgres/database.js";
import { listAttributeLabels } from "../../storage/postgres/definitions/attribute-rows.js";
import { listSegments } from "../../storage/postgres/segments/segments.js";

/** Describes queries of an organization with the names of its segments and the labels of its attributes. */
export async function openDescriber(
  database: Database,
  organizationId: string,
  target: SubjectType,
): Promise<(query: Query) => string> {
  const [segments, attributes] = await Promise.all([
    listSegments(database, organizationId),
    listAttributeLabels(database, organizationId),
  ]);
  const names = new Map(segments.map(({ id, name }) => [id, name]));
  const labels = { user: new Map<string, string>(), account: new Map<string, string>() };
  for (const { subjectType, name, label } of attributes) labels[subjectType].set(name, label);
  return (query) =>
    describeQuery(query, {
      target,
      segmentName: (id) => names.get(id),
      labelOf: (field) =>
        field.target === "event" ? undefined : labels[field.target].get(attributeName(field.target, field.key)),
    });
}
