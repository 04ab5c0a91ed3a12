import { consentAttribute, Refusal } from "@muster/protocol";
import { MAX_PURPOSES, type Purpose as PurposeRecord } from "@muster/protocol/api/purposes";
import type { Database } from "../../storage/postgres/database.js";
import { createAttribute, findAttribute } from "../../storage/postgres/definitions/attribute-rows.js";
import { removeWaitingName } from "../../storage/postgres/definitions/new-names.js";
import {
  listPurposes,
  lockPurposes,
  removePurpose,
  type StoredPurpose,
  savePurpose,
} from "../../storage/postgres/objects/purposes.js";

/** What the people of an organization agree to. */
export class Purposes {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async list(organizationId: string): Promise<PurposeRecord[]> {
    return (await listPurposes(this.#database, organizationId)).map(purposeRecord);
  }

  /** Creates a purpose with its attribute, or changes its description. */
  async put(organizationId: string, name: string, description: string | undefined): Promise<PurposeRecord> {
    await this.#database.transaction(async (tx) => {
      const count = await lockPurposes(tx, organizationId);
      const isKnown = (await listPurposes(tx, organizationId)).some((purpose) => purpose.name === name);
      if (!isKnown && count >= MAX_PURPOSES) {
        throw new Refusal("conflict", `An organization has at most ${MAX_PURPOSES} purposes.`);
      }
      const attribute = consentAttribute(name);
      const known = await findAttribute(tx, organizationId, "user", attribute);
      if (known && known.type !== "boolean") {
        throw new Refusal(
          "conflict",
          `The attribute "${attribute}" is of the type ${known.type}, and must be a boolean.`,
        );
      }
      await savePurpose(tx, organizationId, name, description);
      if (known) return;
      const flags = { visible: true, trackChanges: true, serverOnly: null, label: "", description: "" };
      await createAttribute(tx, organizationId, "user", { name: attribute, type: "boolean", ...flags });
      await removeWaitingName(tx, organizationId, "user", attribute);
    });
    const saved = (await this.list(organizationId)).find((purpose) => purpose.name === name);
    if (!saved) throw new Refusal("not_found", "The purpose was deleted.");
    return saved;
  }

  /** Deletes a purpose. What people have agreed to stays. A purpose that a connector serves is not deleted. */
  async remove(organizationId: string, name: string): Promise<boolean> {
    return this.#database.transaction(async (tx) => {
      const servedBy = await removePurpose(tx, organizationId, name);
      const [first] = servedBy ?? [];
      if (first !== undefined) {
        // Without its purpose, the connector would be told about everybody.
        throw new Refusal("conflict", `The connector "${first}" serves this purpose.`);
      }
      return servedBy !== undefined;
    });
  }
}

function purposeRecord({ name, description, connectorIds, createdAt, updatedAt }: StoredPurpose): PurposeRecord {
  return {
    name,
    description,
    attribute: consentAttribute(name),
    connector_ids: connectorIds,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
