import { DEFAULT_NAMESPACE } from "./organization.js";

/** In the form that `URL` gives to the host. */
const IP_ADDRESS = /^(\[.*\]|[\d.]+)$/;

/** Listening on them means listening on every address of the machine. No client can connect to them everywhere. */
const EVERY_ADDRESS = ["0.0.0.0", "::"];

/**
 * The public address of a server without PUBLIC_URL: the one it listens on.
 * @example listeningUrl({ protocol: "http", host: "0.0.0.0", port: 8080 }) // "http://localhost:8080"
 */
export function listeningUrl({ protocol, host, port }: { protocol: string; host: string; port: number }): string {
  const name = EVERY_ADDRESS.includes(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${protocol}://${name}:${port}`;
}

/**
 * Where a program on the same machine connects to a server that listens there.
 * @example localUrl({ host: "0.0.0.0", port: 8080 }) // "http://127.0.0.1:8080"
 */
export function localUrl({ host, port }: { host: string; port: number }): string {
  // Not `localhost`: it may mean the other family of addresses first, on which another program may listen.
  const local = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
  return listeningUrl({ protocol: "http", host: local, port });
}

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

  /** The address of an organization, without a slash at its end. */
  organizationUrl(namespace: string): string {
    return `${this.#publicUrl.protocol}//${this.organizationHost(namespace)}`;
  }

  /**
   * The host of an organization, for example `acme.localhost:8080`. Clients replace its first label by `firehose` to get
   * the host of the gateway, so the default organization has a label too. An IP address takes no label: clients in front
   * of it must be given the address of the gateway.
   */
  organizationHost(namespace: string): string {
    const { host, hostname, port } = this.#publicUrl;
    if (namespace !== DEFAULT_NAMESPACE) return `${namespace}.${this.#baseDomain}${port === "" ? "" : `:${port}`}`;
    if (IP_ADDRESS.test(hostname) || hostname.startsWith(`${DEFAULT_NAMESPACE}.`)) return host;
    const isUnderBase = `.${hostname}`.endsWith(`.${this.#baseDomain.toLowerCase()}`);
    const domain = isUnderBase ? this.#baseDomain : hostname;
    return `${DEFAULT_NAMESPACE}.${domain}${port === "" ? "" : `:${port}`}`;
  }
}
