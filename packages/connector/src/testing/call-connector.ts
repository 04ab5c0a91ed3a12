import { parseJson, type SegmentRecord } from "@muster/protocol";

/** The answer of a connector. */
export interface ConnectorAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** The body as JSON; undefined when it is not JSON. */
  body: unknown;
}

export interface CallOptions {
  method?: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  /** Text is sent as it is, anything else as JSON. */
  body?: unknown;
}

/** The content of a notification. */
export interface Notice {
  channel: string;
  messages: readonly object[];
  /** Default false. */
  isExport?: boolean;
  /** The user segments in the notification, if it has only some of them. Default: it has all. */
  someSegments?: readonly SegmentRecord[];
}

/** Calls a connector and reads its whole answer. Does not follow redirects. */
export async function callConnector(address: string, options: CallOptions = {}): Promise<ConnectorAnswer> {
  const { query = {}, headers = {}, body } = options;
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const answer = await fetch(url, {
    method: options.method ?? (body === undefined ? "GET" : "POST"),
    redirect: "manual",
    headers: { ...(typeof body === "object" ? { "content-type": "application/json" } : {}), ...headers },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: parseJson(text) };
}
