import { namesConsent } from "../consent-names.js";
import { isUsableId } from "../identity/browser-ids.js";

/** The calls that the query string of a page asks for. */
export interface QueryCalls {
  /** An anonymous id of the visitor, or a token of a connector that names one. */
  alias?: { anonymous_id: string; from: "link" } | { token: string };
  traits?: Record<string, string>;
  track?: { event: string; properties: Record<string, string> };
}

/** A signed token. It is far longer than an id. */
const TOKEN = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

const MAX_PARAMETERS = 50;
const MAX_NAME = 100;
const MAX_VALUE = 1_000;

/**
 * Reads `sjs_event`, `sjs_aid`, `sjs_trait_<name>` and `sjs_prop_<name>`. Links are untrusted, so values are truncated
 * and their number is limited. The first of several parameters with one name counts. Properties need an event.
 */
export function readQueryCalls(search: string, prefix: string): QueryCalls {
  const given = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(search)) {
    if (given.size === MAX_PARAMETERS) break;
    // Whoever makes a link must not agree to anything for those who open it.
    const isOurs = name.startsWith(prefix) && name.length <= prefix.length + MAX_NAME && !namesConsent(name);
    if (isOurs && value !== "" && !given.has(name)) given.set(name, value.slice(0, MAX_VALUE));
  }
  const named = (group: string) => {
    const start = `${prefix}${group}_`;
    const found = [...given].filter(([name]) => name.startsWith(start) && name.length > start.length);
    return Object.fromEntries(found.map(([name, value]) => [name.slice(start.length), value]));
  };
  const [event, alias, traits] = [given.get(`${prefix}event`), aliasOf(given.get(`${prefix}aid`)), named("trait")];
  return {
    ...(alias ? { alias } : {}),
    ...(Object.keys(traits).length === 0 ? {} : { traits }),
    ...(event === undefined ? {} : { track: { event, properties: named("prop") } }),
  };
}

/** Anybody can make a link. So its id is marked as a hint, unless a connector has signed it: the server checks that. */
function aliasOf(given: string | undefined): QueryCalls["alias"] {
  if (given !== undefined && TOKEN.test(given)) return { token: given };
  return isUsableId(given) ? { anonymous_id: given, from: "link" } : undefined;
}
