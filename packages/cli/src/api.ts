import { createHmac } from "node:crypto";
import { Readable } from "node:stream";
import type { Brand, RefusalBody } from "@muster/protocol";
import { Failure } from "./failure.js";

export interface ApiOptions {
  url: string;
  token: string;
  brand: Brand;
  organization: string | undefined;
}

/** An answer with the headers that some commands need. */
export interface Answer<Body> {
  body: Body;
  headers: Headers;
}

/** A request that the server refused. */
export class RefusedRequest extends Failure {
  readonly status: number;

  constructor(status: number, message: string) {
    super("refused", message);
    this.status = status;
  }
}

const TIMEOUT_MS = 30_000;

/** Calls the REST API of a running server as its operator. Every error says what to do about it. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get url(): string {
    return this.#options.url;
  }

  get brand(): Brand {
    return this.#options.brand;
  }

  /** The same server, for another organization. */
  forOrganization(organization: string): Api {
    return new Api({ ...this.#options, organization });
  }

  /** A secret for one purpose. It stays the same as long as the token of the operator does. */
  deriveSecret(purpose: string): string {
    return createHmac("sha256", this.#options.token).update(purpose).digest("hex");
  }

  async get<Body>(path: string): Promise<Body> {
    return (await this.request<Body>("GET", path)).body;
  }

  async post<Body>(path: string, body: unknown = {}): Promise<Body> {
    return (await this.request<Body>("POST", path, body)).body;
  }

  async put<Body>(path: string, body: unknown): Promise<Body> {
    return (await this.request<Body>("PUT", path, body)).body;
  }

  async delete<Body>(path: string): Promise<Body> {
    return (await this.request<Body>("DELETE", path)).body;
  }

  /** Sends bytes as they are. */
  async putBytes<Body>(path: string, bytes: Uint8Array): Promise<Body> {
    return (await this.request<Body>("PUT", path, bytes)).body;
  }

  async request<Body>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    const response = await this.send(method, path, body);
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw new RefusedRequest(response.status, this.#explain(response.status, answer));
    // The caller gives the type of the answer that the server documents for the path.
    return { body: answer as Body, headers: response.headers };
  }

  /** The bytes that answer a POST, for as long as the server sends some. */
  async download(path: string, body: unknown): Promise<Readable> {
    const response = await this.send("POST", path, body, { signal: null });
    if (!response.ok || !response.body) {
      const answer: unknown = await response.json().catch(() => undefined);
      throw new RefusedRequest(response.status, this.#explain(response.status, answer));
    }
    // The stream type of `fetch` and Node's own describe the same class.
    return Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  }

  /** Sends a request and returns the response as it is, also when it is a refusal. */
  send(method: string, path: string, body?: unknown, init: RequestInit = {}): Promise<Response> {
    const { url, token, brand, organization = organizationOf(url) } = this.#options;
    const isBytes = body instanceof Uint8Array;
    return reach(`${url}/api/v1${path}`, {
      ...init,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(organization === undefined ? {} : { [brand.headers.organization]: organization }),
        ...(body === undefined ? {} : { "content-type": isBytes ? "application/octet-stream" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
    });
  }

  #explain(status: number, answer: unknown): string {
    const { url, organization } = this.#options;
    const { error, message } = (answer ?? {}) as Partial<RefusalBody>;
    if (message === undefined)
      return `${url} answered with status ${status}, but the answer does not come from Muster. Check the address.`;
    if (status === 401 && /admin token/.test(message)) {
      return `The server at ${url} does not accept the admin token. Use the token in the file admin.token of its data directory (--data-dir), or set MUSTER_ADMIN_TOKEN.`;
    }
    if (status === 401 && organization !== undefined) {
      return `${message} \`muster org list\` shows all organizations.`;
    }
    // A message that names its details already is not repeated.
    const news = error?.details.filter(
      (detail) => message !== detail.message && !(message.includes(detail.path) && message.includes(detail.message)),
    );
    return [message, ...(news ?? []).map((detail) => `  ${detail.path} ${detail.message}`)].join("\n");
  }
}

// Names under `localhost` are this machine (RFC 6761), which not every resolver knows. `fetch` takes no other resolver and no
// `Host` header, so the organization that such a name stands for is sent in a header.
const UNDER_LOCALHOST = /\.localhost$/i;

function resolvable(url: string): URL {
  const address = new URL(url);
  if (UNDER_LOCALHOST.test(address.hostname)) address.hostname = "localhost";
  return address;
}

function organizationOf(url: string): string | undefined {
  const { host, hostname } = new URL(url);
  return UNDER_LOCALHOST.test(hostname) ? host : undefined;
}

/** `fetch`, with a clear error message for a server that cannot be reached. */
export async function reach(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(resolvable(url), { signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
  } catch (error) {
    const { origin } = new URL(url);
    if (error instanceof Error && error.name === "TimeoutError") {
      throw new Failure("unreachable", `The server at ${origin} did not answer in time.`, error);
    }
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    const message =
      cause?.code === "ECONNREFUSED"
        ? `No server is running at ${origin}. Start one with \`muster start\`, or name another with --url or MUSTER_URL.`
        : `The server at ${origin} cannot be reached: ${cause?.message ?? (error as Error).message}`;
    throw new Failure("unreachable", message, error);
  }
}
