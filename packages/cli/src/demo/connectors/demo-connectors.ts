import { setTimeout as sleep } from "node:timers/promises";
import type { Installed, OwnConnector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import type { ConnectorStatus } from "@muster/protocol/api/status";
import type { Api } from "../../api.js";
import { readList } from "../../read-list.js";
import { type DemoOrganization, findOrMake } from "../demo-organization.js";
import { areAppsBuilt, type RunningApp, startApp } from "./connector-app.js";
import { freePort, startLocalServer } from "./local-server.js";
import { Sink } from "./sink.js";

interface Installation {
  /** The folder of the connector in connector-apps; undefined for the receiver of the demo itself. */
  app?: string;
  name: string;
  /** Settings that the connector needs before it accepts others. */
  credentials?(sinkUrl: string): Record<string, unknown>;
  settings(): Record<string, unknown>;
}

const INCOMING = "Incoming Webhooks";
const OUTGOING = "Outgoing Webhooks";

const INSTALLATIONS: readonly Installation[] = [
  {
    app: "outgoing-webhooks",
    name: OUTGOING,
    credentials: (sinkUrl) => ({ url: `${sinkUrl}/webhooks` }),
    settings: () => ({
      triggers: ["segment.entered", "segment.left", "user.event"],
      watched_events: ["Order placed"],
    }),
  },
  {
    app: "processor",
    name: "Processor",
    settings: () => ({
      user_code: "if (user.traits_orders >= 5 && !user.traits_is_regular) traits({ is_regular: true });",
    }),
  },
  {
    app: "incoming-webhooks",
    name: INCOMING,
    settings: () => ({
      code: [
        "// The bank reports payments here.",
        'asUser({ external_id: body.customer }).track("Invoice paid", { amount: body.amount }, { source: "bank" });',
      ].join("\n"),
    }),
  },
  { name: "Old CRM", settings: () => ({}) },
];

const APPS = INSTALLATIONS.flatMap(({ app }) => app ?? []);
const LONGEST_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/** The connectors of the demo while they run. */
export interface DemoConnectors {
  /** Reports a payment to the address of the incoming webhooks, as a bank would. */
  reportPayment(customer: string, amount: number): Promise<void>;
  /** Waits until all webhooks that are due have been sent. */
  delivered(): Promise<void>;
  /** Disables the connectors, because nothing answers at their addresses afterwards, and stops them. */
  stop(): Promise<void>;
}

/** Whether the connectors can run here: they are built, and the server is on this machine and can call them. */
export function canRunConnectors(serverUrl: string): boolean {
  const { hostname } = new URL(serverUrl);
  return areAppsBuilt(APPS) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}

/**
 * Starts the connectors that come with Muster and a receiver, and installs those that are not installed yet. The signal
 * ends the start and all waiting with an error; `stop` still works afterwards.
 */
export async function startDemoConnectors(
  demo: DemoOrganization,
  serverUrl: string,
  signal: AbortSignal,
): Promise<DemoConnectors> {
  const all = await readList<OwnConnector>(demo.api, "/connectors");
  const installed = all.filter(({ id }) => demo.notes.made.includes(id));
  const ports = new Map<string, number>();
  for (const { name } of INSTALLATIONS) {
    // The system may offer a free port twice, as long as no process listens on it.
    const taken = new Set(ports.values());
    ports.set(name, portOf(installed.find((each) => each.name === name)) ?? (await freePort(0, taken)));
  }
  const sink = new Sink();
  const running: { close(): Promise<unknown> }[] = [];
  const enabled = new Set<string>();
  const stop = async () => {
    try {
      for (const id of enabled) await demo.api.put(`/${id}`, { enabled: false, when_disabled: "drop" });
    } finally {
      await Promise.all(running.map((each) => each.close()));
    }
  };
  const records = new Map<string, OwnConnector>();
  try {
    const sinkPort = ports.get("Old CRM") ?? 0;
    const sinkUrl = `http://127.0.0.1:${sinkPort}`;
    running.push(await startLocalServer(sinkPort, sink.answer));
    const environment = appEnvironment(demo, serverUrl);
    const starts = INSTALLATIONS.map(async ({ app, name }): Promise<RunningApp | undefined> => {
      if (app === undefined) return undefined;
      const started = await startApp(app, ports.get(name) ?? 0, environment, signal);
      running.push({ close: started.stop });
      return started;
    });
    // If one connector does not start, the others are stopped as soon as they have started.
    const failed = (await Promise.allSettled(starts)).find((start) => start.status === "rejected");
    if (failed) throw failed.reason;
    for (const { name, credentials, settings } of INSTALLATIONS) {
      const url = `http://127.0.0.1:${ports.get(name)}`;
      const install = () => demo.api.post<Pick<Installed, "id" | "name">>("/connectors/install", { url });
      signal.throwIfAborted();
      const { id } = await findOrMake(demo, installed, (each) => each.name === name, install);
      enabled.add(id);
      await demo.api.put(`/${id}`, { enabled: true, private_settings: credentials?.(sinkUrl) ?? {} });
      await untilSetUp(demo.api, id, signal);
      records.set(name, await demo.api.put<OwnConnector>(`/${id}`, { private_settings: settings() }));
      // A connector works with its old settings until the notice about the new ones has reached it.
      await delivered(demo.api, id, signal);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    reportPayment: (customer, amount) => reportPayment(demo, records.get(INCOMING)!, customer, amount),
    delivered: () => delivered(demo.api, records.get(OUTGOING)!.id, signal),
    stop,
  };
}

function portOf(connector: OwnConnector | undefined): number | undefined {
  const address = connector?.source_url ?? connector?.manifest_url;
  return address ? Number(new URL(address).port) : undefined;
}

function appEnvironment({ hostSecret }: DemoOrganization, serverUrl: string): Record<string, string> {
  return { ORGANIZATIONS: new URL(serverUrl).host, HOST_SECRET: hostSecret };
}

async function reportPayment(
  { organizationHost }: DemoOrganization,
  { id, secret, source_url, manifest_url }: OwnConnector,
  customer: string,
  amount: number,
): Promise<void> {
  const credentials = new URLSearchParams({ id, secret, organization: organizationHost });
  const { origin } = new URL(source_url ?? manifest_url ?? "");
  await fetch(`${origin}/webhooks/bank?${credentials}`, {
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
