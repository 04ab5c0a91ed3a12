import { createHmac } from "node:crypto";
import type { Addresses } from "../../domain/organizations/addresses.js";
import { equalSecrets } from "../../runtime/vault.js";

/** A file of a job that can be downloaded. */
export interface Download {
  organizationId: string;
  jobId: string;
  file: string;
}

/** Makes and checks addresses of files: whoever has one may download, until it expires. */
export class DownloadLinks {
  readonly #key: Buffer;
  readonly #addresses: Addresses;

  constructor(secretKey: string, addresses: Addresses) {
    this.#key = createHmac("sha256", secretKey).update("muster download links").digest();
    this.#addresses = addresses;
  }

  /** The signature is in the query string, so that the address is all a downloader needs. */
  create({ organizationId, jobId, file }: Download, expiresAt: Date): string {
    const expires = Math.floor(expiresAt.getTime() / 1_000);
    const signature = this.#sign({ organizationId, jobId, file }, expires);
    const path = `/api/v1/downloads/${organizationId}/${jobId}/${file}`;
    return `${this.#addresses.publicUrl}${path}?expires=${expires}&signature=${signature}`;
  }

  /** Whether the address was made by us and has not expired. */
  check(download: Download, expires: number, signature: string, now: number): boolean {
    return equalSecrets(signature, this.#sign(download, expires)) && now < expires * 1_000;
  }

  #sign({ organizationId, jobId, file }: Download, expires: number): string {
    return createHmac("sha256", this.#key).update(`${organizationId}/${jobId}/${file} ${expires}`).digest("hex");
  }
}
