import type { Refusal } from "@muster/protocol";
import type { AdmittedBody, BodyContext, BodyLimits } from "../admit-body.js";
import { bufferOf, receiveParts, type SentParts, sendParts } from "./sent-parts.js";

/** What an admission thread gets when it starts. */
export interface AdmissionThreadData {
  brandWord: string;
  limits: BodyLimits;
}

/** A body for an admission thread. Its bytes are given away. */
export interface BodyMessage {
  id: number;
  body: Uint8Array;
  context: BodyContext;
}

/** The first message of a thread. */
export interface StartedMessage {
  /** The number by which the system knows the thread; undefined on systems other than Linux. */
  threadId: number | undefined;
}

/** What became of a body. */
export type BodyAnswer =
  | { id: number; admitted: SentBody }
  | { id: number; refusal: Pick<Refusal, "code" | "message" | "details"> }
  /** An error in our code, with its stack. */
  | { id: number; fault: string };

/** An admitted body on its way between two threads. */
export interface SentBody extends Omit<AdmittedBody, "parts" | "digest">, SentParts {
  digest: Uint8Array;
}

/** Prepares an admitted body for another thread. */
export function packAnswer({ parts, ...rest }: AdmittedBody): SentBody {
  return { ...rest, ...sendParts(parts) };
}

/** The admitted body that was given to `packAnswer`. */
export function unpackAnswer({ parts, rows, digest, ...rest }: SentBody): AdmittedBody {
  return { ...rest, digest: bufferOf(digest), parts: receiveParts({ parts, rows }) };
}
