import type { Credentials, OwnConnector } from "@muster/protocol/api/connectors";
import type { Organization } from "@muster/protocol/api/organizations";
import type { Overview } from "@muster/protocol/api/overview";
import { type Api, RefusedRequest } from "../api.js";
import { Failure } from "../failure.js";
import { readList } from "../read-list.js";
import { Gateway } from "./gateway.js";

/** What the demo notes about itself, in the settings of the connector that its records come from. */
export interface DemoNotes {
  seed: number;
  users: number;
  /** The time that the history of the company leads to. */
  at: string;
  /** Whether all of it was sent. */
  filled: boolean;
  /** Whether the connectors have had something to do. */
  moved: boolean;
  /** The host that clients use for the organization. */
  organization: string;
  /** Whether the demo has created the organization, which is then removed with it. */
  owns_organization: boolean;
  /**
   * The ids of the segments, connectors, platforms and insights that the demo has created, with blanks between them: a setting that
   * is the id of a segment would say that the connector uses the segment.
   */
  made: string;
}

/** An organization with the demo, or one that gets it. */
export interface DemoOrganization {
  id: string;
  namespace: string;
  name: string;
  api: Api;
  gateway: Gateway;
  connectorId: string;
  organizationHost: string;
  notes: DemoNotes;
}

export const DEMO_NAMESPACE = "demo";
const ORGANIZATION_NAME = "Camellia Tea (demo)";
/** Finds the demo again: no other connector has this name. */
const CONNECTOR_NAME = "Demo data";

/** The demo in an organization; undefined when it has none, or when there is no such organization. */
export async function findDemo(api: Api, url: string, namespace: string): Promise<DemoOrganization | undefined> {
  const organization = await findOrganization(api, namespace);
  if (!organization) return undefined;
  const own = api.forOrganization(organization.id);
  const connector = (await readList<OwnConnector>(own, "/connectors")).find(({ name }) => name === CONNECTOR_NAME);
  // Only the demo writes this setting.
  const notes = connector?.settings.demo as DemoNotes | undefined;
  return connector && notes && describe(own, url, organization, connector, notes);
}

/**
 * Prepares an organization for the demo, and creates it when it is missing. Refuses an organization with other data, unless
 * `isForced`.
 */
export async function prepareDemo(
  api: Api,
  url: string,
  namespace: string,
  wanted: Pick<DemoNotes, "seed" | "users">,
  isForced: boolean,
): Promise<DemoOrganization> {
  const found = await findOrganization(api, namespace);
  const organization =
    found ?? (await api.post<Organization>("/organizations", { namespace, name: ORGANIZATION_NAME }));
  const own = api.forOrganization(organization.id);
  if (found && !isForced) await requireEmpty(own, namespace);
  const { id, organization: host } = await own.post<Credentials>("/connectors", {
    name: CONNECTOR_NAME,
  });
  const notes = {
    ...wanted,
    organization: host,
    at: new Date().toISOString(),
    filled: false,
    moved: false,
    owns_organization: found === undefined,
    made: "",
  };
  const connector = await own.put<OwnConnector>(`/${id}`, { settings: { demo: notes } });
  return describe(own, url, organization, connector, notes);
}

/** Changes what the demo notes about itself. */
export async function note(demo: DemoOrganization, changes: Partial<DemoNotes>): Promise<void> {
  demo.notes = { ...demo.notes, ...changes };
  await demo.api.put(`/${demo.connectorId}`, { settings: { demo: demo.notes } });
}

/** The object of the demo among those of the organization, or the one that `create` makes. */
export async function findOrMake<Item extends { id: string }>(
  demo: DemoOrganization,
  all: readonly Item[],
  isWanted: (item: Item) => boolean,
  create: () => Promise<Item>,
): Promise<Item> {
  // The organization may have objects of the same name that are not the demo's.
  const found = all.find((item) => demo.notes.made.includes(item.id) && isWanted(item));
  if (found) return found;
  const made = await create();
  await note(demo, { made: `${demo.notes.made} ${made.id}`.trim() });
  return made;
}

async function requireEmpty(api: Api, namespace: string): Promise<void> {
  const { users, accounts } = await api.get<Overview>("/overview");
  if (users + accounts === 0) return;
  throw new Failure(
    "unconfirmed",
    `The organization "${namespace}" has ${users} users and ${accounts} accounts that are not the demo's. Leave out --org to use one of the demo's own, or add --yes to fill this one anyway.`,
  );
}

async function findOrganization(api: Api, given: string): Promise<Organization | undefined> {
  try {
    const all = await readList<Organization>(api, "/organizations");
    return all.find(({ id, namespace }) => id === given || namespace === given.toLowerCase());
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404) return undefined;
    throw error;
  }
}

function describe(
  api: Api,
  url: string,
  { id, namespace, name }: Organization,
  connector: Pick<OwnConnector, "id" | "secret">,
  notes: DemoNotes,
): DemoOrganization {
  const gateway = new Gateway({ url, brand: api.brand, organization: id, connector });
  const organizationHost = notes.organization;
  return { id, namespace, name, api, gateway, connectorId: connector.id, organizationHost, notes };
}
