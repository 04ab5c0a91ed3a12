import { isObject } from "@muster/protocol";

/** Which destinations a call is for, by the names of connectors: `All` stands for those that it does not name. */
export type Integrations = Readonly<Record<string, boolean>>;

const ALL = "all";
/** More names than an organization has connectors. */
const MAX_NAMES = 100;

/** The `integrations` of a call. Undefined when it is for all connectors. An object, which has options, means yes. */
export function readIntegrations(given: unknown): Integrations | undefined {
  if (!isObject(given)) return undefined;
  const named = Object.entries(given).slice(0, MAX_NAMES);
  if (named.every(([, wanted]) => wanted !== false)) return undefined;
  return Object.fromEntries(named.map(([name, wanted]) => [name, wanted !== false && wanted !== null]));
}

/** Whether no connector may be told of a call. */
export function isForNobody(integrations: Integrations): boolean {
  return Object.values(integrations).every((wanted) => !wanted) && !isForOthers(integrations);
}

/** Whether a connector may be told of an event, by the context that the event is stored with. */
export function mayTell({ integrations }: Readonly<Record<string, unknown>>, connectorName: string): boolean {
  if (!isObject(integrations)) return true;
  const name = connectorName.trim().toLowerCase();
  const own = Object.keys(integrations).find((key) => key.trim().toLowerCase() === name);
  return own === undefined ? isForOthers(integrations as Integrations) : integrations[own] !== false;
}

function isForOthers(integrations: Integrations): boolean {
  const all = Object.keys(integrations).find((key) => key.toLowerCase() === ALL);
  return all === undefined || integrations[all] !== false;
}
