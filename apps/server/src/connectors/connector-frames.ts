import { MINUTE_MS, Refusal } from "@muster/protocol";
import { readManifest } from "@muster/protocol/manifest";
import type { Connector } from "../domain/connectors/connector.js";
import { connectorUrl } from "../domain/connectors/connector-url.js";
import type { Vault } from "../runtime/secrets/vault.js";
import type { ConnectorStore } from "../storage/postgres/connectors/connectors.js";

/** A page of a connector that may be shown in a frame, and where it is. */
interface Ticket {
  organizationId: string;
  connectorId: string;
  path: string;
  /** The name that the connector knows its organization by. */
  organization: string;
  expiresAt: number;
}

export interface FramedPage {
  connector: Connector;
  path: string;
  organization: string;
}

const CONTEXT = "connector frame";
// The frame is loaded as soon as the dashboard has the ticket.
const VALID_MS = 5 * MINUTE_MS;

/**
 * Tickets for frames with pages of connectors. A browser sends no headers when it loads a frame, so the address itself
 * must name the page and prove that the caller may see it. The ticket is sealed and expires after a few minutes.
 */
export class ConnectorFrames {
  readonly #store: ConnectorStore;
  readonly #vault: Vault;

  constructor({ store, vault }: { store: ConnectorStore; vault: Vault }) {
    this.#store = store;
    this.#vault = vault;
  }

  /** A ticket for a page that the manifest declares. `organization` is the host of the organization. */
  create({ connector, path, organization }: FramedPage): string {
    const { tabs, html, admin } = readManifest(connector.manifest);
    const isDeclared = [...tabs, ...html].some(({ url }) => url === path) || admin === path;
    if (connector.sourceUrl === null || !isDeclared) {
      throw new Refusal("not_found", `The connector declares no page "${path.slice(0, 200)}".`);
    }
    connectorUrl(connector, path);
    const { organizationId, id: connectorId } = connector;
    const ticket: Ticket = { organizationId, connectorId, path, organization, expiresAt: Date.now() + VALID_MS };
    return this.#vault.seal(JSON.stringify(ticket), CONTEXT).toString("base64url");
  }

  /** The page that a ticket is for. */
  async open(sealed: string): Promise<FramedPage> {
    const ticket = this.#read(sealed);
    const connector =
      ticket && ticket.expiresAt > Date.now() && (await this.#store.find(ticket.organizationId, ticket.connectorId));
    if (!ticket || !connector) throw new Refusal("not_found", "The page is not there any more: open the tab again.");
    return { connector, path: ticket.path, organization: ticket.organization };
  }

  #read(sealed: string): Ticket | undefined {
    try {
      // Only this class seals in this context.
      return JSON.parse(this.#vault.open(Buffer.from(sealed, "base64url"), CONTEXT)) as Ticket;
    } catch {
      return undefined;
    }
  }
}
