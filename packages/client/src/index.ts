/** The public surface, by name; `index.test.ts` pins it. */
export { AccountClient } from "./account-client.js";
export type { Batching } from "./batching.js";
export { Client } from "./client.js";
export { ClientError, type ClientErrorCode } from "./client-error.js";
export type { ClientConfig, Configuration } from "./configuration.js";
export type { CapturedEvent } from "./gateway/captured-event.js";
export type { Receipt } from "./gateway/pending-entry.js";
export type { Params, RequestOptions } from "./http/rest-call.js";
export type { LogContext, LogEntry, Logger, LogLevel, LogMethod } from "./logger.js";
export type { AdditionalClaims } from "./subject.js";
export type { AliasBody, Attributes, TokenClaims } from "./subject-client.js";
export { type EventContext, UserClient } from "./user-client.js";
export type { ClientUtils } from "./utils/client-utils.js";
export { type GroupedTraits, groupTraits } from "./utils/group-traits.js";
export type { Property } from "./utils/read-properties.js";
