import type { ConnectorState } from "@muster/protocol/api/overview";
import { expect, test } from "vitest";
import { connectorSentence } from "./connector-sentence.js";

const CONNECTOR: ConnectorState = {
  id: "1",
  name: "Mailer",
  enabled: true,
  status: "ok",
  messages: [],
  receives: true,
  queued_messages: 0,
  lag_ms: 0,
  circuit: "closed",
  last_error: null,
  dead_letters: 0,
  sent_last_hour: 0,
  failed_last_hour: 0,
};

test.each<[string, Partial<ConnectorState>, string, string]>([
  ["works", {}, "good", "Up to date"],
  ["only sends", { receives: false }, "good", "It only sends"],
  ["is disabled, whatever else", { enabled: false, status: "error" }, "unknown", "Disabled"],
  ["reports an error", { status: "error", messages: ["The key is wrong."] }, "bad", "The key is wrong."],
  ["cannot be called", { circuit: "open", last_error: "It answered 500." }, "bad", "It answered 500."],
  ["must be set up", { status: "setupRequired" }, "late", "It must be set up"],
  ["has dead letters", { dead_letters: 2 }, "late", "2 messages not delivered"],
  ["was refused last", { dead_letters: 2, last_error: "It answered 400." }, "bad", "2 messages not delivered"],
  ["is behind", { queued_messages: 1, lag_ms: 2_000 }, "good", "1 message in its queue, the oldest for 2 s"],
])("a connector that %s says so", (_case, parts, status, text) => {
  expect(connectorSentence({ ...CONNECTOR, ...parts })).toEqual({ status, text });
});
