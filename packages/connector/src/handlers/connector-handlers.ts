import type { Context } from "../context/context.js";
import type { JobHandler } from "../jobs/run-job.js";
import type { AnyMessageHandler } from "../notifications/notification-options.js";
import type { OAuthOptions } from "../oauth/oauth-router.js";
import type { EndpointHandler } from "./request-handler.js";

/** The answer of a status endpoint. */
export interface StatusAnswer {
  status: "ok" | "warning" | "error" | "setupRequired";
  /** Sentences for people. */
  messages: string[];
}

export type StatusHandler = (ctx: Context) => StatusAnswer | Promise<StatusAnswer>;

/** An authorization with a third party. What the manifest gives in the options of the setting may be left out. */
export type DeclaredOAuth = Omit<OAuthOptions, "name" | "options"> & Partial<Pick<OAuthOptions, "name" | "options">>;

/**
 * The functions that a manifest names, by section. A channel without a named handler is handled by the function that has
 * the name of the channel.
 */
export interface ConnectorHandlers {
  subscriptions?: Readonly<Record<string, AnyMessageHandler>>;
  batches?: Readonly<Record<string, AnyMessageHandler>>;
  json?: Readonly<Record<string, EndpointHandler>>;
  incoming?: Readonly<Record<string, EndpointHandler>>;
  html?: Readonly<Record<string, EndpointHandler>>;
  schedules?: Readonly<Record<string, EndpointHandler>>;
  statuses?: Readonly<Record<string, StatusHandler>>;
  /** For settings with the format `button`. Called with POST when somebody presses the button. */
  buttons?: Readonly<Record<string, EndpointHandler>>;
  /** For settings with the format `oauth`. The one called `admin` is for the manifest's key of that name. */
  oauth?: Readonly<Record<string, DeclaredOAuth>>;
  jobs?: Readonly<Record<string, JobHandler>>;
}
