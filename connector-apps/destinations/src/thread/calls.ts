import type { OutgoingEvent } from "../events/outgoing-event.js";
import type { Mapping } from "../mapping/mapping.js";
import type { OAuthTokens } from "../package/definition.js";
import type { Outcome } from "./outcome.js";

/** Who a call is for. */
export interface Account {
  /** The connector: tokens are refreshed once for all calls of it. */
  connectorId: string;
  /** The settings of the authentication. */
  settings: Record<string, unknown>;
  tokens?: OAuthTokens;
  /** Values that must not be shown. */
  secrets: string[];
}

export interface DeliverItem {
  /** Events with the same key are sent one after the other. */
  subject: string;
  event: OutgoingEvent;
  /** The ids of the mappings that have taken it before. */
  done: string[];
}

export interface ItemOutcome {
  mapping: string;
  outcome: Outcome;
}

export interface Payload {
  mapping: string;
  action: string;
  event: string;
  isTriggered: boolean;
  payload?: Record<string, unknown>;
  /** Why the destination would not take it. */
  problem?: string;
  /** Only required fields are missing: such a message is skipped. */
  isIncomplete?: boolean;
}

export interface AudienceRequest {
  name: string;
  key: string;
  segmentId: string;
  audienceSettings: Record<string, unknown>;
}

/** What a thread does for the process of the destinations. */
export interface ThreadCalls {
  deliver: {
    input: { account: Account; mappings: Mapping[]; items: DeliverItem[] };
    /** For each item, what became of it with each mapping that it triggers. */
    output: ItemOutcome[][];
  };
  preview: {
    input: { account: Pick<Account, "connectorId">; mappings: Mapping[]; events: OutgoingEvent[] };
    output: Payload[];
  };
  testAuthentication: { input: { account: Account }; output: { problem?: string } };
  choices: {
    input: { account: Account; action: string; field: string; fields: Record<string, unknown>; search: string };
    output: { options: { value: string | number; label: string }[]; problem?: string };
  };
  ensureAudience: { input: { account: Account; request: AudienceRequest }; output: { externalId: string } };
}

export type CallName = keyof ThreadCalls;

/** To a thread. */
export interface ThreadRequest<Name extends CallName = CallName> {
  id: number;
  name: Name;
  input: ThreadCalls[Name]["input"];
  /** How long the call may take, from when the thread reads it. */
  callMs: number;
}

/** From a thread. Tokens are told at once: they must not be lost with the thread. */
export type ThreadNote =
  | { kind: "answer"; id: number; output: unknown }
  | { kind: "failure"; id: number; outcome: Outcome }
  | { kind: "tokens"; connectorId: string; tokens: OAuthTokens };

/** What a thread is started with. */
export interface ThreadData {
  folder: string;
  destination: string;
  /** The most memory that it may use, for buffers too. */
  memoryMb: number;
}
