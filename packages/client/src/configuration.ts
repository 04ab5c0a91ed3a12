import { createBrand, isId } from "@muster/protocol";
import { type Batching, readBatching } from "./batching.js";
import { clientError } from "./client-error.js";
import type { CapturedEvent } from "./gateway/captured-event.js";
import { LOG_LEVELS, type LogEntry, type LogLevel } from "./logger.js";
import { VERSION } from "./version.js";

/** The parameters of the constructor. Unknown keys are ignored, so the result of `configuration()` can be given again. */
export interface ClientConfig {
  /** Connector id: 24 hexadecimal digits. */
  id: string;
  /** Connector secret. Never give it to a browser. */
  secret: string;
  /**
   * Address of the organization, used verbatim as the API's host: `acme.example.com`, with a port if there is one.
   * Required unless `url` is given.
   */
  organization?: string | undefined;
  /** The same address with its protocol, such as `http://127.0.0.1:8080`, instead of `organization` and `protocol`. */
  url?: string | undefined;
  /** Added to the context of every log entry and to every batch entry. */
  requestId?: string | undefined;
  /** Added to the context of every log entry. */
  connectorName?: string | undefined;
  /** Keep log entries in the `logs` array instead of writing them to standard output. Default false. */
  captureLogs?: boolean | undefined;
  /** Keep batch entries in the `firehoseEvents` array instead of sending them. Default false. */
  captureFirehoseEvents?: boolean | undefined;
  /**
   * Address of the server that has the REST API, when it is not reached at the organization's own host. Requests still
   * name the organization. Default: derived from `organization`.
   */
  apiUrl?: string | undefined;
  /** Address of the batch gateway; for testing. Default: derived from `organization`. */
  firehoseUrl?: string | undefined;
  /** `https` (default) or `http`; for testing. */
  protocol?: "http" | "https" | undefined;
  /** Path before every REST path; for testing. Default `/api/v1`. */
  prefix?: string | undefined;
  /** An array of your own to capture log entries in. */
  logs?: LogEntry[] | undefined;
  /** An array of your own to capture batch entries in. */
  firehoseEvents?: CapturedEvent[] | undefined;
  /** The brand word in header and claim names. Default `Svc`. */
  brand?: string | undefined;
  /** The least severe level that is written to standard output or `onLog`; captured logs hold every level. Default `info`. */
  logLevel?: LogLevel | undefined;
  /** Receives log entries instead of standard output. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  /** When batches are sent and how much may wait. */
  batching?: Partial<Batching> | undefined;
}

/** The result of `configuration()`: the parameters that the client uses. */
export interface Configuration {
  readonly id: string;
  readonly secret: string;
  readonly organization: string;
  /** First label of the organization's address. */
  readonly namespace: string;
  /** The organization's address without its first label. */
  readonly domain: string;
  readonly protocol: "http" | "https";
  readonly prefix: string;
  /** Origin of the REST API. */
  readonly apiUrl: string;
  readonly firehoseUrl: string;
  /** Version of this library. */
  readonly version: string;
  readonly brand: string;
  readonly logLevel: LogLevel;
  readonly batching: Batching;
  readonly requestId?: string;
  readonly connectorName?: string;
  readonly logs?: LogEntry[];
  readonly firehoseEvents?: CapturedEvent[];
  readonly onLog?: (entry: LogEntry) => void;
}

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string" && value.trim() !== "";
const isFlag: Check = (value) => typeof value === "boolean";

/** For each key, which values are accepted; the text is part of the error message. Required keys come first. */
const REQUIRED_KEYS: Record<string, [Check, string]> = {
  id: [isId, "must be a connector id of 24 hexadecimal digits"],
  secret: [(value) => typeof value === "string" && /^[!-~]+$/.test(value), "must be a string of printable characters"],
  organization: [isHost, "must be a host such as acme.example.com; an address with a protocol is the `url`"],
};

const OPTIONAL_KEYS: Record<string, [Check, string]> = {
  requestId: [isText, "must be a non-empty string"],
  connectorName: [isText, "must be a non-empty string"],
  captureLogs: [isFlag, "must be true or false"],
  captureFirehoseEvents: [isFlag, "must be true or false"],
  apiUrl: [isOrigin, "must be an address such as http://127.0.0.1:8080, without a path"],
  firehoseUrl: [isHttpUrl, "must be an http or https URL"],
  protocol: [(value) => value === "http" || value === "https", 'must be "http" or "https"'],
  prefix: [(value) => typeof value === "string" && /^(\/[^\s?#]*)?$/.test(value), "must be a path starting with /"],
  logs: [Array.isArray, "must be an array"],
  firehoseEvents: [Array.isArray, "must be an array"],
  brand: [isBrand, "must be a capitalised word of 2 to 21 letters or digits"],
  logLevel: [(value) => LOG_LEVELS.some((level) => level === value), `must be one of ${LOG_LEVELS.join(", ")}`],
  onLog: [(value) => typeof value === "function", "must be a function"],
};

/** Checks every key and throws one error that names all problems. The error never holds the secret. */
export function readConfiguration(config: ClientConfig): Configuration {
  if (typeof config !== "object" || config === null) {
    throw clientError(
      "invalid_configuration",
      "The client needs a configuration object with id, secret, organization.",
    );
  }
  const problems: string[] = [];
  const given = readUrl(config, problems);
  const values: Record<string, unknown> = { ...given };
  for (const [key, [accepts, expectation]] of Object.entries(REQUIRED_KEYS)) {
    if (values[key] === undefined || values[key] === null) problems.push(`\`${key}\` is required`);
    else if (!accepts(values[key])) problems.push(`\`${key}\` ${expectation}`);
  }
  for (const [key, [accepts, expectation]] of Object.entries(OPTIONAL_KEYS)) {
    if (values[key] !== undefined && values[key] !== null && !accepts(values[key])) {
      problems.push(`\`${key}\` ${expectation}`);
    }
  }
  const batching = readBatching(given.batching ?? {}, problems);
  if (problems.length > 0) {
    throw clientError("invalid_configuration", `The client's configuration is not usable: ${problems.join("; ")}.`);
  }
  return resolve(given, batching);
}

/** Takes the organization and the protocol from the `url`, if there is one. */
function readUrl(given: ClientConfig, problems: string[]): ClientConfig {
  const { url, ...others } = given;
  if (url === undefined || url === null) return given;
  const read = isOrigin(url) ? new URL(url) : undefined;
  if (!read) {
    problems.push("`url` must be an address such as https://acme.example.com, without a path");
  }
  for (const key of ["organization", "protocol"] as const) {
    if (given[key]) problems.push(`\`${key}\` must not be given together with \`url\``);
  }
  const { host, protocol } = read ?? new URL("https://unusable.invalid");
  return { ...others, organization: host, protocol: protocol === "http:" ? "http" : "https" };
}

function resolve(given: ClientConfig, batching: Batching): Configuration {
  const { id, secret, organization = "", requestId, connectorName, onLog } = given;
  const protocol = given.protocol ?? "https";
  const [namespace = "", ...rest] = organization.split(".");
  const domain = rest.join(".");
  const logs = given.logs ?? (given.captureLogs ? [] : undefined);
  const firehoseEvents = given.firehoseEvents ?? (given.captureFirehoseEvents ? [] : undefined);
  return {
    id,
    secret,
    organization,
    namespace,
    domain,
    protocol,
    prefix: (given.prefix ?? "/api/v1").replace(/\/+$/, ""),
    apiUrl: given.apiUrl ? new URL(given.apiUrl).origin : `${protocol}://${organization}`,
    firehoseUrl: given.firehoseUrl ?? deriveGatewayUrl(protocol, organization, domain),
    version: VERSION,
    brand: given.brand ?? "Svc",
    logLevel: given.logLevel ?? "info",
    batching,
    ...(requestId ? { requestId } : {}),
    ...(connectorName ? { connectorName } : {}),
    ...(logs ? { logs } : {}),
    ...(firehoseEvents ? { firehoseEvents } : {}),
    ...(onLog ? { onLog } : {}),
  };
}

/** The gateway has a host beside the organization's, in the same domain. For a bare name or an IP address it is a path. */
function deriveGatewayUrl(protocol: string, organization: string, domain: string): string {
  const hasSisters = domain !== "" && !/^[\d.]+(:\d+)?$/.test(organization);
  return hasSisters ? `${protocol}://firehose.${domain}/` : `${protocol}://${organization}/firehose`;
}

function isHost(value: unknown): boolean {
  return typeof value === "string" && /^[\w.-]+(:\d{1,5})?$/.test(value);
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value);
}

function isOrigin(value: unknown): value is string {
  return isHttpUrl(value) && `${new URL(String(value)).origin}/` === new URL(String(value)).href;
}

function isBrand(value: unknown): boolean {
  try {
    return typeof value === "string" && createBrand(value).word === value;
  } catch {
    return false;
  }
}
