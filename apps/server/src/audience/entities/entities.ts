import { Refusal } from "@muster/protocol";
import type { Entity as EntityRecord } from "@muster/protocol/api/entities";
import { type Entity, type EntityDocument, entityRecord, type OwnValues } from "../../domain/entities/entity-record.js";
import { isWebAddress, MAX_UID_BYTES } from "../../domain/entities/entity-reference.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  createEntity,
  findEntity,
  listEntities,
  removeEntity,
  updateEntity,
} from "../../storage/postgres/objects/entities.js";
import { countObjects } from "../../storage/postgres/objects/object-counts.js";
import type { Questions } from "../../storage/questions/questions.js";
import type { FindConnector } from "../subjects/find-writer.js";

export interface EntitiesOptions {
  database: Database;
  questions: Questions;
  findConnector: FindConnector;
  maxEntities: number;
}

/** New own values of an entity; null removes a value. */
export type EntityEdit = { [Name in keyof OwnValues]?: OwnValues[Name] | null };

/**
 * Things that users act on. An entity belongs to a connector or to the organization. A connector sees its own entities
 * and those of the organization; `readerConnectorId` is the connector that reads, or undefined for the operator, who
 * sees all.
 */
export class Entities {
  readonly #options: EntitiesOptions;

  constructor(options: EntitiesOptions) {
    this.#options = options;
  }

  /** Creates an entity that belongs to a connector or, with an empty `connectorId`, to the organization. */
  async create(
    organizationId: string,
    connectorId: string,
    { uid: given, ...edit }: EntityEdit & { uid?: string },
  ): Promise<EntityRecord> {
    if (connectorId !== "" && !(await this.#options.findConnector(organizationId, connectorId))) {
      throw new Refusal("not_found", `There is no connector "${connectorId.slice(0, 100)}".`);
    }
    const { database, maxEntities } = this.#options;
    if ((await countObjects(database, organizationId, "entity")) >= maxEntities) {
      throw new Refusal("conflict", `An organization has at most ${maxEntities} entities.`);
    }
    const values = applyEdit({}, edit);
    const uid = given ?? values.url;
    if (uid !== undefined) requireUsableUid(uid);
    const document =
      values.url === undefined && uid !== undefined && isWebAddress(uid) ? { ...values, url: uid } : values;
    const entity = await createEntity(database, organizationId, {
      appId: connectorId,
      uid,
      document,
    });
    if (!entity) throw new Refusal("conflict", `There is already an entity with the uid "${uid?.slice(0, 100)}".`);
    return entityRecord(entity, { actions: {}, likes: 0 });
  }

  async find(
    organizationId: string,
    readerConnectorId: string | undefined,
    id: string,
  ): Promise<EntityRecord | undefined> {
    const entity = await findEntity(this.#options.database, organizationId, readerConnectorId, id);
    return entity && this.#record(organizationId, entity);
  }

  async list(
    organizationId: string,
    readerConnectorId: string | undefined,
    where: unknown,
    page: { limit: number; offset: number },
  ) {
    const { database, questions } = this.#options;
    const { total, entities } = await listEntities(database, organizationId, readerConnectorId, where, page);
    const ids = entities.map(({ id }) => id);
    const stats = await questions.countEntityActions(organizationId, ids);
    return {
      total,
      entities: entities.map((entity) => entityRecord(entity, stats.get(entity.id) ?? { actions: {}, likes: 0 })),
    };
  }

  async update(
    organizationId: string,
    readerConnectorId: string | undefined,
    id: string,
    edit: EntityEdit,
  ): Promise<EntityRecord | undefined> {
    const { database } = this.#options;
    const current = await findEntity(database, organizationId, readerConnectorId, id);
    if (!current) return undefined;
    const { meta_tags: metaTags, ...own } = current.document;
    const values = applyEdit(own, edit);
    const hasNewUrl = values.url !== own.url;
    const document: EntityDocument = { ...values, ...(metaTags && !hasNewUrl ? { meta_tags: metaTags } : {}) };
    const updated = await updateEntity(database, organizationId, id, document, hasNewUrl);
    return updated && this.#record(organizationId, updated);
  }

  remove(organizationId: string, readerConnectorId: string | undefined, id: string): Promise<boolean> {
    return removeEntity(this.#options.database, organizationId, readerConnectorId, id);
  }

  async #record(organizationId: string, entity: Entity): Promise<EntityRecord> {
    const stats = await this.#options.questions.countEntityActions(organizationId, [entity.id]);
    return entityRecord(entity, stats.get(entity.id) ?? { actions: {}, likes: 0 });
  }
}

function applyEdit(own: OwnValues, edit: EntityEdit): OwnValues {
  if (edit.url && !isWebAddress(edit.url)) {
    throw new Refusal("invalid_parameter", "url must be an http or https address.", {
      details: [{ path: "body.url", message: "must be an http or https address" }],
    });
  }
  const merged = Object.entries({ ...own, ...edit }).filter(([, value]) => value !== null && value !== undefined);
  // Both objects have only own values, so the merged entries do too.
  return Object.fromEntries(merged) as OwnValues;
}

function requireUsableUid(uid: string): void {
  if (Buffer.byteLength(uid) <= MAX_UID_BYTES) return;
  throw new Refusal("invalid_parameter", `A uid has at most ${MAX_UID_BYTES} bytes.`, {
    details: [{ path: "body.uid", message: `has at most ${MAX_UID_BYTES} bytes` }],
  });
}
