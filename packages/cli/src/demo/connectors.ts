import { setTimeout as sleep } from "node:timers/promises";
import type { CatalogueEntry } from "@muster/protocol/api/catalogue";
import type { Installed, OwnConnector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import type { ConnectorStatus } from "@muster/protocol/api/status";
import type { Api } from "../api.js";
import { readList } from "../read-list.js";
import { type DemoOrganization, findOrMake } from "./demo-organization.js";

interface Installation {
  /** Its name in the address `muster://name`. */
  app: string;
  name: string;
  settings: Record<string, unknown>;
}

const INCOMING = "Incoming Webhooks";
const CRM = "Old CRM";
/** So many users are sent to the CRM at once, so that it has something to refuse. */
const FIRST_SENT = 300;

const INSTALLATIONS: readonly Installation[] = [
  {
    app: "processor",
    name: "Processor",
    settings: { user_code: "if (user.traits_orders >= 5 && !user.traits_is_regular) traits({ is_regular: true });" },
  },
  {
    app: "incoming-webhooks",
    name: INCOMING,
    settings: {
      code: [
        "// The bank reports payments here.",
        'asUser({ external_id: body.customer }).track("Invoice paid", { amount: body.amount }, { source: "bank" });',
      ].join("\n"),
    },
  },
  { app: "old-crm", name: CRM, settings: {} },
];

const LONGEST_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/** The connectors of the demo. The server runs them. */
export interface DemoConnectors {
  /** Reports a payment to the address of the incoming webhooks, as a bank would. */
  reportPayment(customer: string, amount: number): Promise<void>;
  /** Sends the first users of the company to the CRM. */
  fillCrm(): Promise<void>;
  /** Waits until everything that is due has been sent to the CRM. */
  delivered(): Promise<void>;
}

/** Installs the connectors that are not installed yet; undefined when the server runs none. The signal ends all waiting. */
export async function installConnectors(
  demo: DemoOrganization,
  serverUrl: string,
  signal: AbortSignal,
): Promise<DemoConnectors | undefined> {
  const { api } = demo;
  const offered = await readList<CatalogueEntry>(api, "/catalogue");
  if (!offered.some(({ bundled }) => bundled)) return undefined;
  const installed = await readList<OwnConnector>(api, "/connectors");
  const records = new Map<string, OwnConnector>();
  for (const { app, name, settings } of INSTALLATIONS) {
    signal.throwIfAborted();
    const install = () => api.post<Pick<Installed, "id" | "name">>("/connectors/install", { url: `muster://${app}` });
    const { id } = await findOrMake(demo, installed, (each) => each.name === name, install);
    await api.put(`/${id}`, { enabled: true });
    await untilSetUp(api, id, signal);
    records.set(name, await api.put<OwnConnector>(`/${id}`, { private_settings: settings }));
    // A connector works with its old settings until the notice about the new ones has reached it.
    await delivered(api, id, signal);
  }
  const crm = records.get(CRM)!;
  return {
    reportPayment: (customer, amount) => reportPayment(demo, serverUrl, records.get(INCOMING)!, customer, amount),
    async fillCrm() {
      const external_id = Array.from({ length: FIRST_SENT }, (_, n) => `demo-user-${n}`);
      await api.post(`/${crm.id}/export`, { object: "users", query: { terms: { external_id } } });
    },
    delivered: () => delivered(api, crm.id, signal),
  };
}

async function reportPayment(
  { organizationHost }: DemoOrganization,
  serverUrl: string,
  { id, secret }: OwnConnector,
  customer: string,
  amount: number,
): Promise<void> {
  const credentials = new URLSearchParams({ id, secret, organization: organizationHost });
  await fetch(`${serverUrl}/bundled/incoming-webhooks/webhooks/bank?${credentials}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ customer, amount }),
  });
}

/** The server asks a connector for its status after its settings have changed. */
async function untilSetUp(api: Api, connectorId: string, signal: AbortSignal): Promise<void> {
  const giveUpAt = Date.now() + LONGEST_WAIT_MS;
  while (Date.now() < giveUpAt) {
    const { status } = await api.get<ConnectorStatus>(`/${connectorId}/status`);
    if (status !== "setupRequired") return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}

async function delivered(api: Api, connectorId: string, signal: AbortSignal): Promise<void> {
  const giveUpAt = Date.now() + LONGEST_WAIT_MS;
  for (;;) {
    const { queued_messages: queued } = await api.get<Delivery>(`/${connectorId}/delivery`);
    if (queued === 0 || Date.now() > giveUpAt) return;
    await sleep(LOOK_EVERY_MS, undefined, { signal });
  }
}
