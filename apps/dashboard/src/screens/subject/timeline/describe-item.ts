import type { TimelineItem } from "@muster/protocol/api/history";
import { formatCount } from "../../../ui/text/format.js";
import { IDENTIFIER_NAMES } from "../../../ui/text/identifier-names.js";
import { isFailed, showResult } from "../../../ui/text/message-result.js";
import { showChange, showProperties } from "../../../ui/text/show-value.js";
import { channelWords } from "../../../ui/text/words.js";
import type { AttributeLabel } from "../use-attribute-labels.js";
import { writerName } from "../writer-name.js";

export interface ItemText {
  title: string;
  /** A short second part; empty when there is nothing more to say. */
  details: string;
  isBad?: boolean;
}

type DeliveryItem = Extract<TimelineItem, { kind: "delivery" }>;

const RESULTS: Readonly<Record<DeliveryItem["result"], string>> = {
  delivered: "Delivered to",
  deferred: "Deferred by",
  refused: "Refused by",
  unavailable: "Not reached:",
  skipped: "Skipped by",
  retried: "Taken to try again by",
  unreported: "Taken without a result by",
};

/** What happened, in words. */
export function describeItem(item: TimelineItem, labelOf: AttributeLabel = (name) => name): ItemText {
  switch (item.kind) {
    case "event":
      return { title: item.event, details: showProperties(item.properties) };
    case "change":
      return describeChange(item, labelOf);
    case "segment":
      return { title: `${item.entered ? "Entered" : "Left"} ${item.segment_name}`, details: "" };
    case "delivery":
      return describeDelivery(item);
    case "merge":
      return { title: `Merged with ${namesOf(item.merged_identifiers, item.merged_id)}`, details: causeOf(item) };
    case "unmerge":
      return {
        title: `Split from ${namesOf(item.unmerged_identifiers, item.unmerged_id)}`,
        details: "a merge was undone",
      };
    case "comment":
      return { title: item.text, details: item.author_name ?? (item.user_id === null ? "" : "by a user") };
  }
}

function describeDelivery(item: DeliveryItem): ItemText {
  const name = item.connector_name ?? "a connector that was removed";
  const isOfService = item.result === "refused" && item.reported;
  const title = isOfService ? `Refused by the service of ${name}` : `${RESULTS[item.result] ?? item.result} ${name}`;
  const details = item.result === "delivered" ? channelWords(item.channel) : showResult(item).detail;
  return { title, details, isBad: isFailed(item) };
}

function describeChange({ changes }: Extract<TimelineItem, { kind: "change" }>, labelOf: AttributeLabel): ItemText {
  const [first, ...others] = changes;
  if (!first) return { title: "Attributes changed", details: "" };
  const more = others.length === 0 ? "" : ` and ${formatCount(others.length, "more change")}`;
  return {
    title: `${labelOf(first.name)}: ${showChange(first.from, first.to)}${more}`,
    details: first.written_by ? `by ${writerName(first.written_by)}` : "",
  };
}

function causeOf({ cause }: Extract<TimelineItem, { kind: "merge" }>): string {
  if (!cause) return "";
  return `a record named the ${IDENTIFIER_NAMES[cause.identifier] ?? cause.identifier} ${cause.value}`;
}

function namesOf(identifiers: Readonly<Record<string, readonly string[]>>, id: string): string {
  const [first] = Object.values(identifiers).flat();
  return first ?? id;
}
