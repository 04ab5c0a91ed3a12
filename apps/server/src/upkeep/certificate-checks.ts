import { DAY_MS, HOUR_MS } from "@muster/protocol";
import type { HealthCheck } from "@muster/protocol/api/operations";
import { readCertificate, type ServedCertificate } from "../outbound/read-certificate.js";
import { good } from "./health-check.js";

export interface CertificateChecksOptions {
  publicUrl: () => string;
  /** The addresses of the connectors that are called. */
  connectorUrls: () => string[];
  read?: (address: string) => Promise<ServedCertificate>;
}

// Renewal by a machine happens 30 days before the end. With 14 days left it has failed for two weeks.
const SOON_DAYS = 14;
const AT_ONCE_DAYS = 3;
// Certificates change rarely, and the checks are loaded often.
const FRESH_MS = HOUR_MS;
const FAILURE_FRESH_MS = 60_000;
const MAX_HOSTS = 50;

type Found = ServedCertificate | { failure: string };

/** Looks when the certificates end that this server and its connectors show. */
export class CertificateChecks {
  readonly #options: CertificateChecksOptions;
  readonly #read: NonNullable<CertificateChecksOptions["read"]>;
  readonly #found = new Map<string, { found: Promise<Found>; at: number }>();

  constructor(options: CertificateChecksOptions) {
    this.#options = options;
    this.#read = options.read ?? readCertificate;
  }

  async run(now: number): Promise<HealthCheck[]> {
    const own = new URL(this.#options.publicUrl());
    const others = [...new Set(this.#options.connectorUrls().map((url) => new URL(url).origin))]
      .filter((origin) => origin.startsWith("https:") && origin !== own.origin)
      .sort()
      .slice(0, MAX_HOSTS);
    const checks = await Promise.all([
      ...(own.protocol === "https:" ? [this.#check("Certificate", own.origin, now)] : []),
      ...others.map((origin) => this.#check(`Certificate of ${new URL(origin).host}`, origin, now)),
    ]);
    for (const [origin, { at }] of this.#found) if (now - at > FRESH_MS) this.#found.delete(origin);
    const wrong = checks.filter(({ status }) => status !== "good");
    const right = checks.filter(({ status }) => status === "good");
    if (right.length === 0) return wrong;
    const [first] = right;
    const summary =
      right.length === 1 && first
        ? first.message
        : `${right.length} certificates are valid for ${SOON_DAYS} days or longer.`;
    return [...wrong, good("Certificates", summary)];
  }

  async #check(name: string, origin: string, now: number): Promise<HealthCheck> {
    const found = await this.#look(origin, now);
    if ("failure" in found) {
      const message = `The certificate of ${origin} could not be read: ${found.failure}`;
      return { name, status: "late", message, advice: "Look whether this machine can reach the address." };
    }
    const days = Math.floor((found.validUntil.getTime() - now) / DAY_MS);
    const date = found.validUntil.toISOString().slice(0, 10);
    if (days < SOON_DAYS) {
      const message = days < 0 ? `It ended on ${date}.` : `It ends on ${date}, in ${days} days.`;
      const status = days < AT_ONCE_DAYS ? "bad" : "late";
      return { name, status, message, advice: "Renew it, and have the server at that address load the new one." };
    }
    if (found.problem !== undefined) {
      const advice = "Use a certificate of an authority that clients know, or give them yours (NODE_EXTRA_CA_CERTS).";
      return { name, status: "late", message: `This machine does not trust it: ${found.problem}.`, advice };
    }
    return good(name, `The certificate of ${origin} is valid until ${date}.`);
  }

  #look(origin: string, now: number): Promise<Found> {
    const known = this.#found.get(origin);
    if (known && now - known.at <= FRESH_MS) return known.found;
    const found: Promise<Found> = this.#read(origin).catch((error: Error): Found => {
      // Retried soon, but not in each check: an unavailable host takes seconds.
      this.#found.set(origin, { found, at: now - FRESH_MS + FAILURE_FRESH_MS });
      return { failure: error.message };
    });
    this.#found.set(origin, { found, at: now });
    return found;
  }
}
