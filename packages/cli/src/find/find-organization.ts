import type { Organization } from "@muster/protocol/api/organizations";
import type { Api } from "../api.js";
import { Failure } from "../failure.js";
import { readList } from "../read-list.js";

/** The organization with this namespace or id. */
export async function findOrganization(api: Api, given: string): Promise<Organization> {
  const all = await readList<Organization>(api, "/organizations");
  const found = all.find(({ id, namespace }) => id === given || namespace === given);
  if (found) return found;
  throw new Failure("refused", `There is no organization "${given}". \`muster org list\` shows all.`);
}
