/** A connector that comes with Muster. It is an app of its own, which somebody starts beside the server. */
export interface ShippedConnector {
  folder: string;
  name: string;
  description: string;
  /** Where it runs when it is started without a PORT. */
  url: string;
}

export const SHIPPED_CONNECTORS: readonly ShippedConnector[] = [
  {
    folder: "incoming-webhooks",
    name: "Incoming Webhooks",
    description: "Receives webhooks of any service. A script turns them into users, accounts and events.",
    url: "http://localhost:8092",
  },
  {
    folder: "outgoing-webhooks",
    name: "Outgoing Webhooks",
    description:
      "Calls a URL when a user or an account changes, when a user enters or leaves a segment, and for events.",
    url: "http://localhost:8091",
  },
  {
    folder: "processor",
    name: "Processor",
    description: "Runs a script for every change of a user or an account. The script computes attributes and events.",
    url: "http://localhost:8093",
  },
  {
    folder: "sql-importer",
    name: "SQL Importer",
    description: "Imports users, accounts or events from the result of a query on PostgreSQL or MySQL.",
    url: "http://localhost:8094",
  },
  {
    folder: "warehouse",
    name: "Warehouse",
    description: "Copies users, accounts, events and segment memberships to tables of a PostgreSQL database.",
    url: "http://localhost:8095",
  },
];

/** The command that starts a connector from a checkout of Muster. */
export function startCommand({ folder }: ShippedConnector): string {
  return `npm start -w connector-apps/${folder}`;
}
