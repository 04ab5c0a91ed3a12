import type { Connector } from "@muster/protocol/api/connectors";
import type { Delivery } from "@muster/protocol/api/deliveries";
import { expect, test } from "vitest";
import { byTrouble, connectorState } from "./connector-state.js";

type Reported = Connector["status"]["status"];

const connector = (parts: Partial<Connector>, status: Reported = "ok", messages: string[] = []): Connector => ({
  id: "1",
  name: "CRM",
  type: "ship",
  manifest: {},
  manifest_url: null,
  source_url: "http://crm.example",
  settings: {},
  tags: [],
  status: { status, messages, updated_at: null },
  enabled: true,
  when_disabled: "drop",
  notify_users_of_account: false,
  purposes: [],
  accept_incoming_webhooks: true,
  created_at: "",
  updated_at: "",
  ...parts,
});
const delivery = (parts: Partial<Delivery>): Delivery => ({
  connector_id: "1",
  queued_messages: 0,
  lag_ms: 0,
  circuit: "closed",
  next_call_at: null,
  pause_reason: null,
  batch_size: 100,
  failures: 0,
  last_error: null,
  sent_messages: 0,
  failed_calls: 0,
  dead_messages: 0,
  dead_letters: 0,
  last_sent_at: null,
  last_failed_at: null,
  ...parts,
});

test.each([
  ["It works.", connector({}), delivery({})],
  ["Whether it gets its messages is not known.", connector({}), undefined],
  ["API credentials: it sends data and receives none.", connector({ source_url: null }), undefined],
  ["Switched off: its messages are dropped.", connector({ enabled: false }), undefined],
  ["Switched off: its messages wait.", connector({ enabled: false, when_disabled: "hold" }), undefined],
  ["It reports an error: The key is wrong.", connector({}, "error", ["The key is wrong."]), undefined],
  ["It must be set up.", connector({}, "setupRequired"), undefined],
  ["Messages cannot be delivered: status 500", connector({}), delivery({ circuit: "open", last_error: "status 500" })],
  ["It works, but 1 message was given up.", connector({}), delivery({ dead_letters: 1 })],
  [
    "2 messages were given up. The last call: The service refused it with status 400.",
    connector({}),
    delivery({ dead_letters: 2, last_error: "The service refused it with status 400." }),
  ],
  ["It works, 2 min behind.", connector({}), delivery({ queued_messages: 3, lag_ms: 120_000 })],
])("%s", (sentence, one, state) => {
  expect(connectorState(one, state).sentence).toBe(sentence);
});

test("connectors with most trouble come first", () => {
  const rows = [connector({ name: "B" }), connector({ name: "A" }), connector({ name: "C" }, "error")].map((one) => ({
    connector: one,
    state: connectorState(one, undefined),
  }));
  expect(byTrouble(rows).map((row) => row.connector.name)).toEqual(["C", "A", "B"]);
});
