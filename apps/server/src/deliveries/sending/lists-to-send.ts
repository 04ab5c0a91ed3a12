import { MINUTE_MS } from "@muster/protocol";
import { type SegmentLists, someSegments, type WholeLists } from "../../audience/segments/segment-lists.js";
import type { Connector } from "../../domain/connectors/connector.js";
import { segmentsOfMessage } from "../../domain/delivery/message.js";
import type { QueueHead } from "./connector-queue.js";

/** The lists of segments in a call. */
export type SentLists = SegmentLists & { partial_segments?: true };

/** Lists up to this length are in every call. */
const SMALL_BYTES = 64 * 1024;
/** Longer lists are whole in one call of so much time. */
const WHOLE_EVERY_MS = MINUTE_MS;
/** Calls about changes of users and accounts. All others are rare, and may be about the segments themselves. */
const FREQUENT_CHANNELS: ReadonlySet<string> = new Set(["user:update", "account:update"]);

/**
 * Chooses which segments are in the calls to one connector. With two thousand segments the lists have 4 MB, so that most
 * calls have only those that the messages name and those in the settings of the connector.
 */
export class ListsToSend {
  #wholeAt = Number.NEGATIVE_INFINITY;

  choose(all: WholeLists, { channel, messages }: QueueHead, connector: Connector, now: number): SentLists {
    const { segments, accounts_segments, bytes, byId } = all;
    const isDue = now - this.#wholeAt >= WHOLE_EVERY_MS;
    if (bytes <= SMALL_BYTES || isDue || !FREQUENT_CHANNELS.has(channel)) {
      this.#wholeAt = now;
      return { segments, accounts_segments };
    }
    const named = messages.flatMap(segmentsOfMessage);
    const chosen = textsIn([connector.settings, connector.privateSettings]).filter((text) => byId.has(text));
    return { ...someSegments(all, [...named, ...chosen]), partial_segments: true };
  }
}

/** All texts in a value: a setting may list segments, or have them somewhere in a table. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
