/** What the server has made for a link. */
export interface Carried {
  carried: string;
  /** In seconds. */
  expires_in: number;
}

/** What a link has carried to this page. */
export interface Arrived {
  bid: string;
  /** The token of the user who was signed in on the page before. */
  access_token?: string;
}

export interface CarriedIdsOptions {
  /** Asks the server to carry the id of this browser, and the token of its user, to a host. */
  ask(browserId: string, host: string): Promise<Carried>;
  now(): number;
}

interface Known {
  browserId: string;
  /** Resolves when the server has answered. */
  asked: Promise<void>;
  /** Undefined while the server is asked, and when it has not given one. */
  value?: string;
  until: number;
}

/** The other page needs some time to load, and the clock of this one may be behind. */
const MARGIN_MS = 20_000;
/** A server that gives none, or that is slow, is not asked again at every movement of the pointer. */
const ASK_AGAIN_MS = 10_000;
/** A platform may have a domain for each of its customers. */
const MAX_HOSTS = 20;

/**
 * What links to other domains of the platform carry. A click cannot wait for the server, so the server is asked before,
 * once for each host as long as the answer is fresh.
 */
export class CarriedIds {
  readonly #options: CarriedIdsOptions;
  readonly #hosts = new Map<string, Known>();

  constructor(options: CarriedIdsOptions) {
    this.#options = options;
  }

  /** Called when the visitor may soon follow a link to a host. Resolves when the server has answered. */
  prepare(browserId: string, host: string): Promise<void> {
    const { ask, now } = this.#options;
    const at = now();
    const known = this.#hosts.get(host);
    if (known?.browserId === browserId && at < known.until) return known.asked;
    if (this.#hosts.size >= MAX_HOSTS) this.#hosts.clear();
    const asked = ask(browserId, host).then(
      ({ carried: value, expires_in: seconds }) => {
        this.#hosts.set(host, { browserId, asked, value, until: at + seconds * 1_000 - MARGIN_MS });
      },
      () => undefined,
    );
    this.#hosts.set(host, { browserId, asked, until: at + ASK_AGAIN_MS });
    return asked;
  }

  /** What a link to a host carries. It works once, so the next link needs another one. */
  take(browserId: string, host: string): string | undefined {
    const known = this.#hosts.get(host);
    if (known?.value === undefined || known.browserId !== browserId) return undefined;
    this.#hosts.delete(host);
    return this.#options.now() < known.until ? known.value : undefined;
  }
}
