import { DAY_MS } from "@muster/protocol";
import type { Erasure as ErasureRecord } from "@muster/protocol/api/erasures";
import { type ErasureReceipt, findReceipt, listReceipts } from "../../storage/postgres/changes/erasure-receipts.js";
import type { LeftKind } from "../../storage/postgres/changes/left-mentions.js";
import type { Database } from "../../storage/postgres/database.js";

export interface ErasuresOptions {
  database: Database;
  logRetentionDays: number;
}

const WHY_LEFT: Record<LeftKind, string> = {
  comment: "It is on somebody else and names the subject. Delete or change it, or keep it if you may.",
  segment: "Its name or query names the subject. Changing it would change who is in it, so this is yours to decide.",
  computed_attribute:
    "Its name or definition names the subject. Changing it would change its values, so this is yours to decide.",
  entity: "Its values name the subject. A connector or a person wrote them.",
  connector: "Its name, its settings or its last status names the subject. Change the settings where they are made.",
};

/** The receipts of erasures. */
export class Erasures {
  readonly #options: ErasuresOptions;

  constructor(options: ErasuresOptions) {
    this.#options = options;
  }

  /** The erasure of the subject that had the id. */
  async find(organizationId: string, id: string): Promise<ErasureRecord | undefined> {
    const receipt = await findReceipt(this.#options.database, organizationId, id);
    return receipt && this.#record(receipt);
  }

  /** The erasures of an organization, the latest first. */
  async list(
    organizationId: string,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; erasures: ErasureRecord[] }> {
    const { total, rows } = await listReceipts(this.#options.database, organizationId, page);
    return { total, erasures: rows.map((receipt) => this.#record(receipt)) };
  }

  #record(receipt: ErasureReceipt): ErasureRecord {
    const { id, subjectType, erasedAt, removed, cleanedAt, cleaned, left, waitingImports } = receipt;
    const after = (days: number) => new Date(erasedAt.getTime() + days * DAY_MS).toISOString();
    // The clean-up takes minutes. Until it has run, the retention of the log is the promise.
    const logGoneBy = cleanedAt?.toISOString() ?? after(this.#options.logRetentionDays);
    return {
      id,
      type: subjectType,
      status: cleanedAt ? "complete" : "cleaning",
      erased_at: erasedAt.toISOString(),
      cleaned_at: cleanedAt?.toISOString() ?? null,
      removed,
      cleaned,
      left: left.map(({ kind, id: writing, objectId }) => ({
        kind,
        id: writing,
        ...(objectId === undefined ? {} : { object_id: objectId }),
        why: WHY_LEFT[kind],
      })),
      copies: [
        { where: "ingestion_log", gone_by: logGoneBy },
        { where: "question_engine", gone_by: cleanedAt?.toISOString() ?? after(1) },
        { where: "extract_files", gone_by: cleanedAt?.toISOString() ?? after(1) },
        waitingImports === 0
          ? { where: "import_files", gone_by: after(1) }
          : { where: "import_files", gone_by: null, note: "Imports wait. Their files go when they have run." },
        { where: "backups", gone_by: null, note: "Backups are yours: the subject is in those made before." },
      ],
    };
  }
}
