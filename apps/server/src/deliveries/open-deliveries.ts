import type { Brand } from "@muster/protocol";
import type { Logger } from "pino";
import { Search } from "../audience/search.js";
import { SegmentDrafts } from "../audience/segment-drafts.js";
import type { ConnectorDirectory } from "../connectors/connector-directory.js";
import type { DeliveryLimits } from "../domain/delivery/delivery.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { Metrics } from "../runtime/metrics.js";
import type { Vault } from "../runtime/vault.js";
import type { Database } from "../storage/postgres/database.js";
import type { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { WakeUps } from "../storage/postgres/wake-ups.js";
import type { Questions } from "../storage/questions/questions.js";
import { CallPermit } from "./call-permit.js";
import { DeadLetters } from "./dead-letters.js";
import { DeliveryFigures } from "./delivery-figures.js";
import { readDeliveryGauges } from "./delivery-gauges.js";
import { DeliveryLoops } from "./delivery-loops.js";
import { DeliveryStates } from "./delivery-states.js";
import { DeliveryTraces } from "./delivery-traces.js";
import { MessageCache } from "./message-cache.js";
import { Notices } from "./notices.js";
import { NotificationSigner } from "./notification-signer.js";
import { SegmentImpact } from "./segment-impact.js";

export interface OpenDeliveriesOptions {
  database: Database;
  leases: WorkLeases;
  wakeUps: WakeUps;
  questions: Questions;
  maxAttributes: number;
  vault: Vault;
  brand: Brand;
  addresses: Addresses;
  directory: ConnectorDirectory;
  fetch: TrustedFetch;
  /** Longest time that a call may take. */
  timeoutMs: number;
  limits: DeliveryLimits;
  metrics: Metrics;
  lags: Pick<LagRecorder, "add">;
  logger: Logger;
}

/** The services that deliver messages to connectors, and show what was delivered and what was not. */
export interface DeliveryServices {
  /** Makes no calls before it is started: until then, messages only wait in their queues. */
  deliveryLoops: DeliveryLoops;
  callPermit: CallPermit;
  notices: Notices;
  deliveryStates: DeliveryStates;
  deliveryFigures: DeliveryFigures;
  deliveryTraces: DeliveryTraces;
  deadLetters: DeadLetters;
  signer: NotificationSigner;
  segmentImpact: SegmentImpact;
}

export function openDeliveries(options: OpenDeliveriesOptions): { services: DeliveryServices; close(): Promise<void> } {
  const { database, addresses, metrics, logger } = options;
  const signer = new NotificationSigner({ ...options, keyUrl: (id) => `${addresses.publicUrl}/keys/${id}` });
  const deliveryTraces = new DeliveryTraces(options);
  const deliveryLoops = new DeliveryLoops({
    ...options,
    signer,
    cache: new MessageCache(database),
    traces: deliveryTraces,
    onCall({ messages, outcome, durationMs }, connector) {
      metrics.deliveredMessages.inc({ connector, outcome: outcome.kind }, messages.length);
      metrics.connectorCallSeconds.observe({ connector }, durationMs / 1_000);
    },
  });
  const onQueued = (connectorIds: Iterable<string>) => deliveryLoops.wake(connectorIds);
  const search = new Search(options);
  readDeliveryGauges(metrics, database);
  return {
    services: {
      deliveryLoops,
      callPermit: new CallPermit(database, logger),
      notices: new Notices({ ...options, onQueued }),
      deliveryStates: new DeliveryStates(options),
      deliveryFigures: new DeliveryFigures(options),
      deliveryTraces,
      deadLetters: new DeadLetters({ ...options, onQueued }),
      signer,
      segmentImpact: new SegmentImpact({ ...options, search, drafts: new SegmentDrafts({ ...options, search }) }),
    },
    async close() {
      await deliveryLoops.stop();
      await deliveryTraces.close();
    },
  };
}
