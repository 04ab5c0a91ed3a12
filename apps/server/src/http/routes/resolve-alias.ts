import { type Caller, connectorOf } from "../auth/caller.js";
import type { FindMe } from "../object-handler.js";

/**
 * The id that a path means: `me` is the user that the caller acts for, `app` the calling connector, `org` the
 * organization. Undefined when that user is not known. Any other text is returned as it is.
 */
export async function resolveAlias(given: string, caller: Caller, findMe: FindMe): Promise<string | undefined> {
  switch (given) {
    case "me":
      return findMe(caller);
    case "app":
      return connectorOf(caller).id;
    case "org":
      return caller.organization.id;
    default:
      return given;
  }
}
