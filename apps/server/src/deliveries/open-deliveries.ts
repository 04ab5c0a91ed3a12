import type { Brand } from "@muster/protocol";
import type { Logger } from "pino";
import { Search } from "../audience/search/search.js";
import { SegmentDrafts } from "../audience/search/segment-drafts.js";
import type { ConnectorDirectory } from "../connectors/connector-directory.js";
import type { DeliveryLimits } from "../domain/delivery/delivery.js";
import { countResults } from "../domain/delivery/message-result.js";
import type { Addresses } from "../domain/organizations/addresses.js";
import type { TrustedFetch } from "../outbound/trusted-fetch.js";
import type { Metrics } from "../runtime/measures/metrics.js";
import type { Vault } from "../runtime/secrets/vault.js";
import type { Database } from "../storage/postgres/database.js";
import type { LagRecorder } from "../storage/postgres/figures/lag-recorder.js";
import type { WorkLeases } from "../storage/postgres/leases/work-leases.js";
import type { WakeUps } from "../storage/postgres/wake-ups.js";
import type { Questions } from "../storage/questions/questions.js";
import { Notices } from "./messages/notices.js";
import { SegmentImpact } from "./messages/segment-impact.js";
import { CallPermit } from "./sending/call-permit.js";
import { DeliveryLoops } from "./sending/delivery-loops.js";
import { DeliveryTraces } from "./sending/delivery-traces.js";
import { LaterReports } from "./sending/later-reports.js";
import { MessageCache } from "./sending/message-cache.js";
import { NotificationSigner } from "./sending/notification-signer.js";
import { TestMessages } from "./sending/test-messages.js";
import { DeadLetters } from "./shown/dead-letters.js";
import { DeliveryFigures } from "./shown/delivery-figures.js";
import { readDeliveryGauges } from "./shown/delivery-gauges.js";
import { DeliveryStates } from "./shown/delivery-states.js";

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
  /** How long updates wait for later ones of the same subject, for connectors that want them combined. */
  combineUpdatesMs: number;
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
  laterReports: LaterReports;
  deadLetters: DeadLetters;
  signer: NotificationSigner;
  segmentImpact: SegmentImpact;
  testMessages: TestMessages;
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
    onCall({ results, unusableReports, durationMs }, connector) {
      for (const [outcome, messages] of Object.entries(countResults(results, () => 1))) {
        if (messages > 0) metrics.deliveredMessages.inc({ connector, outcome }, messages);
      }
      if (unusableReports > 0) metrics.unusableReports.inc({ connector }, unusableReports);
      metrics.connectorCallSeconds.observe({ connector }, durationMs / 1_000);
    },
  });
  const onQueued = (connectorIds: Iterable<string>) => deliveryLoops.wake(connectorIds);
  const callPermit = new CallPermit(database, logger);
  const search = new Search(options);
  readDeliveryGauges(metrics, database);
  return {
    services: {
      deliveryLoops,
      callPermit,
      notices: new Notices({ ...options, onQueued }),
      deliveryStates: new DeliveryStates(options),
      deliveryFigures: new DeliveryFigures(options),
      deliveryTraces,
      laterReports: new LaterReports({ database, traces: deliveryTraces }),
      deadLetters: new DeadLetters({ ...options, onQueued }),
      signer,
      segmentImpact: new SegmentImpact({ ...options, search, drafts: new SegmentDrafts({ ...options, search }) }),
      testMessages: new TestMessages({ ...options, signer, search, callPermit, traces: deliveryTraces }),
    },
    async close() {
      await deliveryLoops.stop();
      await deliveryTraces.close();
    },
  };
}
