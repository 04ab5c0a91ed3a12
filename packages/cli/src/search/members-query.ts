import type { Api } from "../api.js";
import { findSegment } from "../find/find-segment.js";

/** The query for those that match a query and are members of a segment, if one is given by its id or name. */
export async function membersQuery(
  api: Api,
  query: Record<string, unknown>,
  segment: string | undefined,
): Promise<Record<string, unknown>> {
  if (segment === undefined) return query;
  const { id } = await findSegment(api, segment);
  return { bool: { filter: [{ term: { segment_ids: id } }, query] } };
}
