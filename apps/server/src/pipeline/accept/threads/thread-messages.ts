import type { Transferred } from "../../../runtime/threads/thread-calls.js";
import type { AdmittedBody, BodyContext, BodyLimits } from "../admit-body.js";
import { bufferOf, receiveParts, type SentParts, sendParts } from "./sent-parts.js";

/** What an admission thread gets when it starts. */
export interface AdmissionThreadData {
  brandWord: string;
  limits: BodyLimits;
}

/** What the main thread calls on an admission thread. */
export interface AdmissionCalls {
  /** Reads a body. Its bytes are given away, and so are the rows of the answer. */
  admit(body: Uint8Array, context: BodyContext): Promise<Transferred<SentBody>>;
}

/** An admitted body on its way between two threads. */
export interface SentBody extends Omit<AdmittedBody, "parts" | "digest">, SentParts {
  digest: Uint8Array | undefined;
}

/** Prepares an admitted body for another thread. */
export function sendBody({ parts, ...rest }: AdmittedBody): SentBody {
  return { ...rest, ...sendParts(parts) };
}

/** The admitted body that was given to `sendBody`. */
export function receiveBody({ parts, rows, digest, ...rest }: SentBody): AdmittedBody {
  return { ...rest, digest: digest && bufferOf(digest), parts: receiveParts({ parts, rows }) };
}
