import type { Brand } from "@muster/protocol";
import { type AdmittedBody, BodyAdmission, type BodyContext } from "./admit-body.js";

/** Reads the bodies of gateway batches. */
export interface AdmissionPort {
  admit(organizationId: string, body: Buffer, context: BodyContext): Promise<AdmittedBody>;
}

export function openAdmission(brand: Brand, { gatewayLimitEntries }: { gatewayLimitEntries: number }): AdmissionPort {
  const admission = new BodyAdmission(brand, { maxEntries: gatewayLimitEntries });
  return { admit: (_organizationId, body, context) => admission.admit(body, context) };
}
