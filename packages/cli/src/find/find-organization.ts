import type { Api } from "../api.js";
import { Failure } from "../failure.js";
import { readList } from "../read-list.js";

export interface OrganizationRecord {
  id: string;
  namespace: string;
  name: string;
  enabled?: boolean;
  created_at: string;
}

/** The organization with this namespace or id. */
export async function findOrganization(api: Api, given: string): Promise<OrganizationRecord> {
  const all = await readList<OrganizationRecord>(api, "/organizations");
  const found = all.find(({ id, namespace }) => id === given || namespace === given);
  if (found) return found;
  throw new Failure("refused", `There is no organization "${given}". \`muster org list\` shows all.`);
}
