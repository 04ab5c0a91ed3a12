import { DEFAULT_NAMESPACE } from "./organization.js";

/** The addresses of this server, as clients get them. With `PORT=0` the port is known only once the server listens. */
export class Addresses {
  readonly #baseDomain: string;
  #publicUrl: URL;

  constructor(publicUrl: string, baseDomain: string) {
    this.#publicUrl = new URL(publicUrl);
    this.#baseDomain = baseDomain;
  }

  listeningOn(port: number): void {
    if (this.#publicUrl.port === "0") this.#publicUrl.port = String(port);
  }

  /** The start of every absolute URL, without a slash at its end. */
  get publicUrl(): string {
    return this.#publicUrl.href.replace(/\/$/, "");
  }

  get firehoseUrl(): string {
    return `${this.publicUrl}/firehose`;
  }

  /** The host of an organization, for example `acme.localhost:8080`. */
  organizationHost(namespace: string): string {
    if (namespace === DEFAULT_NAMESPACE) return this.#publicUrl.host;
    const { port } = this.#publicUrl;
    return `${namespace}.${this.#baseDomain}${port === "" ? "" : `:${port}`}`;
  }
}
