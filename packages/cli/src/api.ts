import type { RefusalBody } from "@muster/protocol";

export interface ApiOptions {
  url: string;
  token: string;
  organizationHeader: string;
  organization: string | undefined;
}

const TIMEOUT_MS = 30_000;
// The most that the server answers at once.
const PER_PAGE = 1_000;

/** Calls the REST API of a running server as its operator. Every error says what to do about it. */
export class Api {
  readonly #options: ApiOptions;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  get<Answer>(path: string): Promise<Answer> {
    return this.#request("GET", path, undefined);
  }

  /** All items of a list, page by page. The path may have a query string. */
  async getAll<Item>(path: string): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = 1; ; page += 1) {
      const query = `page=${page}&per_page=${PER_PAGE}`;
      const found = await this.get<Item[]>(`${path}${path.includes("?") ? "&" : "?"}${query}`);
      items.push(...found);
      if (found.length < PER_PAGE) return items;
    }
  }

  post<Answer>(path: string, body: unknown = {}): Promise<Answer> {
    return this.#request("POST", path, body);
  }

  delete<Answer>(path: string): Promise<Answer> {
    return this.#request("DELETE", path, undefined);
  }

  /** Sends bytes as they are. */
  putBytes<Answer>(path: string, bytes: Uint8Array): Promise<Answer> {
    return this.#request("PUT", path, bytes);
  }

  async #request<Answer>(method: string, path: string, body: unknown): Promise<Answer> {
    const { url, token, organizationHeader, organization } = this.#options;
    const isBytes = body instanceof Uint8Array;
    const response = await reach(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(organization === undefined ? {} : { [organizationHeader]: organization }),
        ...(body === undefined ? {} : { "content-type": isBytes ? "application/octet-stream" : "application/json" }),
      },
      ...(body === undefined ? {} : { body: isBytes ? body : JSON.stringify(body) }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    // The caller gives the type of the answer that the server documents for the path.
    if (response.ok) return answer as Answer;
    throw new Error(this.#explain(response.status, answer));
  }

  #explain(status: number, answer: unknown): string {
    const { url, organization } = this.#options;
    const { error, message } = (answer ?? {}) as Partial<RefusalBody>;
    if (message === undefined) return `${url} answered with status ${status}, and not as Muster does.`;
    if (status === 401 && /admin token/.test(message)) {
      return `The server at ${url} does not accept the admin token. Take the one in admin.token of the data directory that this server uses, or set MUSTER_ADMIN_TOKEN.`;
    }
    if (status === 401 && organization !== undefined) {
      return `${message} \`muster org list\` shows those there are.`;
    }
    const details = error?.details.filter((detail) => detail.message !== message) ?? [];
    return [message, ...details.map((detail) => `  ${detail.path} ${detail.message}`)].join("\n");
  }
}

/** `fetch`, with a clear error message for a server that cannot be reached. */
export async function reach(url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), ...init });
  } catch (error) {
    const { origin } = new URL(url);
    if (error instanceof Error && error.name === "TimeoutError") {
      throw new Error(`The server at ${origin} did not answer in time.`, { cause: error });
    }
    const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
    if (cause?.code === "ECONNREFUSED") {
      throw new Error(
        `No server is running at ${origin}. Start one with \`muster start\`, or name another with --url or MUSTER_URL.`,
        { cause: error },
      );
    }
    throw new Error(`The server at ${origin} cannot be reached: ${cause?.message ?? (error as Error).message}`, {
      cause: error,
    });
  }
}
