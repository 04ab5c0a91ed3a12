import { isObject } from "@muster/protocol";
import type { Job } from "../domain/jobs/job.js";
import type { Vault } from "../runtime/secrets/vault.js";

/**
 * The address in the parameters of a job often has credentials: the password of a bucket, the secret of the connector
 * that is called back. So it is stored sealed and apart from the other parameters. The address of an upload has none.
 */
export function sealAddress(
  vault: Vault,
  jobId: string,
  parameters: unknown,
): { parameters: unknown; sealedUrl: Buffer | null } {
  if (!isObject(parameters) || !isWebAddress(parameters.url)) return { parameters, sealedUrl: null };
  return { parameters: { ...parameters, url: null }, sealedUrl: vault.seal(parameters.url, contextOf(jobId)) };
}

/** The address that a job was requested with; null when it has none. */
export function addressOf(vault: Vault, { id, sealedUrl, parameters }: Job): string | null {
  if (sealedUrl !== null) return vault.open(sealedUrl, contextOf(id));
  return isObject(parameters) && typeof parameters.url === "string" ? parameters.url : null;
}

export function hasAddress({ sealedUrl, parameters }: Job): boolean {
  return sealedUrl !== null || (isObject(parameters) && typeof parameters.url === "string");
}

function isWebAddress(url: unknown): url is string {
  return typeof url === "string" && /^https?:/i.test(url);
}

function contextOf(jobId: string): string {
  return `address of job ${jobId}`;
}
