import type { OrganizationFile } from "../engine/organization-file.js";
import type { FileTransaction } from "../engine/transaction.js";
import { kindsWithoutColumn } from "../layout/event-layout.js";

/** Stores, as part of a transaction, which kinds of values its rows have brought to the properties with columns. */
export function saveSeen(file: OrganizationFile, tx: FileTransaction): void {
  for (const property of file.events.properties) {
    const { id, seen } = property;
    if (seen === property.savedSeen) continue;
    tx.runLater(`update ${tx.databaseName}.event_properties set seen = ${seen} where id = ${id}`);
    tx.onCommit(() => {
      property.savedSeen |= seen;
      if (kindsWithoutColumn(property).length > 0) file.events.onWanted();
    });
  }
}
