import type { SegmentMoves } from "../../../../domain/changes/change-set.js";
import type { OrganizationFile } from "../engine/organization-file.js";
import type { FileTransaction } from "../engine/transaction.js";
import { keysOf } from "../layout/keys.js";
import { MEMBERSHIP_COLUMNS } from "../layout/layout.js";

/** Writes moves. Only subjects that are not members enter a segment, so no earlier rows have to be removed. */
export async function writeMoves(
  file: OrganizationFile,
  tx: FileTransaction,
  moves: readonly SegmentMoves[],
  at: Date,
): Promise<void> {
  const rows: { id: string; segment: number }[] = [];
  for (const { segmentId, entered, left } of moves) {
    const known = file.numberInTransaction(segmentId);
    if (left.length > 0 && known !== undefined) removeMembers(tx, known, left);
    if (entered.length === 0) continue;
    const number = known ?? (await file.numberSegment(tx, segmentId));
    for (const id of entered) rows.push({ id, segment: number });
  }
  const time = at.getTime();
  await tx.append("memberships", MEMBERSHIP_COLUMNS, rows, ({ id, segment }, row) => {
    row.key(0, id);
    row.text(1, id);
    row.number(2, segment);
    row.integer(3, time);
  });
}

function removeMembers(tx: FileTransaction, segment: number, ids: readonly string[]): void {
  tx.deleteKeys("memberships", "entity_key", keysOf(ids), `segment = ${segment}`);
}

export function eraseMemberships(tx: FileTransaction, ids: readonly string[]): void {
  tx.deleteKeys("memberships", "entity_key", keysOf(ids));
}
