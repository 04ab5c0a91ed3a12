import { createHmac } from "node:crypto";
import type { Addresses } from "../../domain/organizations/addresses.js";
import { equalSecrets } from "../../runtime/secrets/vault.js";

export interface FileOfJob {
  organizationId: string;
  jobId: string;
  file: string;
}

/** Makes and checks signed addresses of files. A client that has such an address may download until it expires. */
export class DownloadLinks {
  readonly #key: Buffer;
  readonly #addresses: Addresses;

  constructor(secretKey: string, addresses: Addresses) {
    this.#key = createHmac("sha256", secretKey).update("muster download links").digest();
    this.#addresses = addresses;
  }

  /** The signature is in the query string, so that a client needs nothing but the address. */
  create({ organizationId, jobId, file }: FileOfJob, expiresAt: Date): string {
    const expires = Math.floor(expiresAt.getTime() / 1_000);
    const signature = this.#sign({ organizationId, jobId, file }, expires);
    const path = `/api/v1/downloads/${organizationId}/${jobId}/${file}`;
    return `${this.#addresses.publicUrl}${path}?expires=${expires}&signature=${signature}`;
  }

  /** Whether this server made the address and it has not expired. */
  check(file: FileOfJob, expires: number, signature: string, now: number): boolean {
    return equalSecrets(signature, this.#sign(file, expires)) && now < expires * 1_000;
  }

  #sign({ organizationId, jobId, file }: FileOfJob, expires: number): string {
    return createHmac("sha256", this.#key).update(`${organizationId}/${jobId}/${file} ${expires}`).digest("hex");
  }
}
