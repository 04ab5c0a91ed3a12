import { randomUUID } from "node:crypto";
import { Refusal } from "@muster/protocol";
import { headers, type MsgHdrs } from "@nats-io/transport-node";
import type { Lane } from "../../../domain/entries/lanes.js";
import { compressJson, decompress } from "../../logs/compression.js";
import type { LogBatch, LogPart } from "../log-batch.js";

/** A part of a batch as a message of a stream. */
export interface LogMessage {
  receivedAt: Date;
  entryCount: number;
  /** Of the batch; undefined for one that is never recognised when it is sent again. */
  digest: Buffer | undefined;
  /** Names the part within its batch. */
  part: string;
  partCount: number;
  /** The compressed entries. */
  payload: Buffer;
  /** The answer to the sender of the batch. Only its first part has it. */
  answer: string;
}

export interface EncodedMessage {
  lane: Lane;
  /** Names the part within its batch. */
  part: string;
  /** NATS recognises a copy by it. */
  id: string;
  headers: MsgHdrs;
  data: Uint8Array;
}

const HEADER = "Muster-Batch";
const VERSION = 1;
/** How long to wait before the retry. During an upgrade, a newer process answers by then. */
const RETRY_AFTER_SECONDS = 10;

/** What the header says. Servers of two versions run side by side during an upgrade, so fields are only ever added. */
interface Header {
  v: number;
  connector: string;
  received: number;
  entries: number;
  digest?: string;
  part: string;
  parts: number;
  /** How many bytes of the compressed answer follow the entries. */
  answer?: number;
}

/** The messages of a batch, in the order of its parts. */
export function encodeBatch(organizationId: string, batch: LogBatch): EncodedMessage[] {
  const { connectorId, receivedAt, digest, parts, answer } = batch;
  const key = digest?.toString("base64url") ?? randomUUID();
  const numbers = new Map<Lane, number>();
  return parts.map(({ lane, entryCount, payload }: LogPart, index) => {
    const number = numbers.get(lane) ?? 0;
    numbers.set(lane, number + 1);
    const part = `${lane}${number}`;
    const compressedAnswer =
      index === 0 && answer !== "" ? compressJson(Buffer.from(JSON.stringify(answer))) : undefined;
    const header: Header = {
      v: VERSION,
      connector: connectorId,
      received: receivedAt.getTime(),
      entries: entryCount,
      ...(digest ? { digest: key } : {}),
      part,
      parts: parts.length,
      ...(compressedAnswer ? { answer: compressedAnswer.length } : {}),
    };
    const fields = headers();
    fields.set(HEADER, JSON.stringify(header));
    const data = compressedAnswer ? Buffer.concat([payload, compressedAnswer]) : payload;
    return { lane, part, id: `${organizationId}.${key}.${part}`, headers: fields, data };
  });
}

/** Throws when the message is not one of this log, or of a version that this program does not know. */
export function decodeMessage(fields: MsgHdrs | undefined, data: Uint8Array): LogMessage {
  const header = JSON.parse(fields?.get(HEADER) || "{}") as Partial<Header>;
  if (header.v !== VERSION) {
    const message = `A message of the ingestion log has version ${header.v}, and this server reads version ${VERSION}.`;
    throw new Refusal("unavailable", message, { retryAfter: RETRY_AFTER_SECONDS });
  }
  const { received = 0, entries = 0, digest, part = "", parts = 1, answer: answerBytes = 0 } = header;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  const end = bytes.length - answerBytes;
  return {
    receivedAt: new Date(received),
    entryCount: entries,
    digest: digest === undefined ? undefined : Buffer.from(digest, "base64url"),
    part,
    partCount: parts,
    payload: bytes.subarray(0, end),
    // A look at headers alone has no data.
    answer: answerBytes > 0 && bytes.length > 0 ? decompress<string>(bytes.subarray(end)) : "",
  };
}
