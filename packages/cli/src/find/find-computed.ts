import type { ComputedAttribute } from "@muster/protocol/api/computed-attributes";
import type { Api } from "../api.js";
import { readList } from "../read-list.js";
import { onlyOneNamed } from "./find-connector.js";

/** The computed attribute with this id, or the only one with this name. */
export async function findComputed(api: Api, given: string): Promise<ComputedAttribute> {
  const all = await readList<ComputedAttribute>(api, "/computed_attributes");
  const found = all.find(({ id }) => id === given);
  return found ?? onlyOneNamed(all, given, "computed attribute", "`muster computed list` shows all.");
}
