import type { AttributeState } from "@muster/protocol/api/history";
import { formatRelative } from "../../../ui/text/format.js";
import { showValue } from "../../../ui/text/show-value.js";
import { writerName } from "../writer-name.js";

/** When and by whom a value was written, and what it was before. */
export function originSentence(attribute: AttributeState, now = Date.now()): string {
  const { set_at, set_by, computed, previous, proved } = attribute;
  if (set_at === null) {
    return computed || set_by === null ? "Muster keeps this field itself." : `Written by ${writerName(set_by)}.`;
  }
  if (set_by?.computed_id) return `Computed ${formatRelative(set_at, now)}. A click says why.`;
  const doubt = proved ? "" : " A page said it alone: nobody has proved that it is of this person.";
  const written = `Written ${formatRelative(set_at, now)} by ${writerName(set_by)}.${doubt}`;
  return `${written} ${beforeSentence(attribute, previous[0]?.value, previous.length > 0)}`;
}

function beforeSentence({ tracked }: AttributeState, before: unknown, hasBefore: boolean): string {
  if (hasBefore) return `Before: ${showValue(before)}.`;
  return tracked ? "No earlier value is kept." : "Changes of this attribute are not kept.";
}
