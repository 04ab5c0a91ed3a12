import { Refusal } from "@muster/protocol";

/** The refusal for an id or a name that does not exist. It is cut, because it comes from the request. */
export function notFound(what: string, given: string): Refusal {
  return new Refusal("not_found", `There is no ${what} "${given.slice(0, 100)}".`);
}
