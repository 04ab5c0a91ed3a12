import { Refusal, type SubjectType } from "@muster/protocol";
import type { Attribute as AttributeRecord, ReportKey as SchemaField } from "@muster/protocol/api/attributes";
import { attributeName, isStandardField, reportKey, STANDARD_FIELDS } from "@muster/query";
import { type AttributeType, groupOf } from "../../domain/attributes/attribute-definitions.js";
import type { Database } from "../../storage/postgres/database.js";
import {
  type AttributeRow,
  createAttribute,
  findAttribute,
  listAttributes,
  markGroup,
  updateAttribute,
} from "../../storage/postgres/definitions/attribute-rows.js";
import { removeWaitingName } from "../../storage/postgres/definitions/new-names.js";
import type { Questions } from "../../storage/questions/questions.js";
import { loadAttributes } from "./attribute-definitions.js";

export interface AttributesOptions {
  database: Database;
  questions: Questions;
}

type SchemaType = Exclude<AttributeType, "numeric"> | "number";

export interface AttributeChange {
  type?: AttributeType;
  visible?: boolean;
  trackChanges?: boolean;
  serverOnly?: boolean | null;
  label?: string;
  description?: string;
}

export interface AttributeSettings
  extends Pick<AttributeRecord, "type" | "visible" | "track_changes" | "label" | "description"> {
  /** Null: as the first attribute of its group says. */
  server_only: boolean | null;
}

/** The attributes of an organization's users and accounts: their definitions, and the schema of the reports. */
export class Attributes {
  readonly #options: AttributesOptions;

  constructor(options: AttributesOptions) {
    this.#options = options;
  }

  async list(organizationId: string, subjectType: SubjectType): Promise<AttributeRecord[]> {
    const { database, questions } = this.#options;
    const rows = await listAttributes(database, organizationId, subjectType);
    const definitions = await loadAttributes(database, organizationId, subjectType, rows.length);
    const { counts } = await questions.countAttributes(organizationId, subjectType);
    return rows.map((row) => {
      const count = counts.get(reportKey(subjectType, row.name)) ?? 0;
      return attributeRecord(subjectType, row, definitions.isServerOnly(row.name), count);
    });
  }

  async find(organizationId: string, subjectType: SubjectType, given: string): Promise<AttributeRecord | undefined> {
    const name = attributeName(subjectType, given);
    const all = await this.list(organizationId, subjectType);
    return all.find((attribute) => attribute.name === name);
  }

  /** The key and type of a standard field or of a visible attribute, named with or without its prefix. */
  async findField(
    organizationId: string,
    subjectType: SubjectType,
    given: string,
  ): Promise<{ key: string; type: AttributeType } | undefined> {
    const name = attributeName(subjectType, given);
    const standard = isStandardField(subjectType, name) ? STANDARD_FIELDS[subjectType][name] : undefined;
    if (standard) return { key: name, type: standard };
    const row = await findAttribute(this.#options.database, organizationId, subjectType, name);
    return row?.visible ? { key: reportKey(subjectType, name), type: row.type } : undefined;
  }

  /** What people decide about an attribute, without figures. */
  async settingsOf(
    organizationId: string,
    subjectType: SubjectType,
    given: string,
  ): Promise<AttributeSettings | undefined> {
    const name = attributeName(subjectType, given);
    const row = await findAttribute(this.#options.database, organizationId, subjectType, name);
    if (!row) return undefined;
    const { type, visible, trackChanges, serverOnly, label, description } = row;
    return { type, visible, track_changes: trackChanges, server_only: serverOnly, label, description };
  }

  /** Creates an attribute or changes its flags. The type of an existing attribute changes only by a conversion. */
  async put(
    organizationId: string,
    subjectType: SubjectType,
    given: string,
    { type, visible, trackChanges, serverOnly, label, description }: AttributeChange,
  ): Promise<AttributeRecord> {
    const { database } = this.#options;
    const name = attributeName(subjectType, given);
    if (isStandardField(subjectType, name)) {
      throw new Refusal("invalid_parameter", `"${name}" is a standard field: its definition is fixed.`);
    }
    const current = await findAttribute(database, organizationId, subjectType, name);
    if (current && type !== undefined && type !== current.type) {
      throw new Refusal("conflict", `The type of "${name}" is ${current.type} and cannot be changed to ${type}.`);
    }
    const flags = {
      visible: visible ?? current?.visible ?? true,
      trackChanges: trackChanges ?? current?.trackChanges ?? true,
      serverOnly: serverOnly === undefined ? (current?.serverOnly ?? null) : serverOnly,
      label: label ?? current?.label ?? "",
      description: description ?? current?.description ?? "",
    };
    if (current) await updateAttribute(database, organizationId, subjectType, name, flags);
    else {
      await createAttribute(database, organizationId, subjectType, { name, type: type ?? "string", ...flags });
      await removeWaitingName(database, organizationId, subjectType, name);
    }
    const record = await this.find(organizationId, subjectType, name);
    if (!record) throw new Error(`The attribute "${name}" was written but cannot be found.`);
    return record;
  }

  /** Says whether end users may write the attributes of a group. */
  async putGroup(organizationId: string, subjectType: SubjectType, group: string, serverOnly: boolean): Promise<void> {
    const count = await markGroup(this.#options.database, organizationId, subjectType, group, serverOnly);
    if (count === 0) throw new Refusal("not_found", `There is no ${subjectType} attribute in the group "${group}".`);
  }

  /** Every key of the report: standard fields, attributes and, for users, the keys of their account. */
  async schema(organizationId: string, subjectType: SubjectType): Promise<SchemaField[]> {
    const { database } = this.#options;
    const own = await this.#ownFields(organizationId, subjectType);
    if (subjectType === "account") return own;
    const account = await listAttributes(database, organizationId, "account");
    return [...own, ...schemaFields("account", account).map((field) => ({ ...field, key: `account.${field.key}` }))];
  }

  /** The visible keys of the schema as a tree by group, for the attribute pickers of user interfaces. */
  async tree(organizationId: string, subjectType: SubjectType) {
    const groups = new Map<string, { id: string; text: string; type: string }[]>();
    for (const { key, type } of (await this.schema(organizationId, subjectType)).filter(({ visible }) => visible)) {
      const text = attributeName(subjectType, key);
      const group =
        groupOf(text) ??
        (key.startsWith("account.") ? "account" : isStandardField(subjectType, text) ? "standard" : "attributes");
      groups.set(group, [...(groups.get(group) ?? []), { id: key, text, type }]);
    }
    return { version: "new" as const, tree: [...groups].map(([text, children]) => ({ text, children })) };
  }

  async #ownFields(organizationId: string, subjectType: SubjectType): Promise<SchemaField[]> {
    return schemaFields(subjectType, await listAttributes(this.#options.database, organizationId, subjectType));
  }
}

function schemaFields(subjectType: SubjectType, rows: readonly AttributeRow[]): SchemaField[] {
  const standard = Object.entries(STANDARD_FIELDS[subjectType]).map(([key, type]) => ({
    key,
    type: schemaType(type),
    visible: true,
    track_changes: true,
    label: "",
    configurable: false,
    created_at: null,
    updated_at: null,
  }));
  const custom = rows.map(({ name, type, visible, trackChanges, label, createdAt, updatedAt }) => ({
    key: reportKey(subjectType, name),
    type: schemaType(type),
    visible,
    track_changes: trackChanges,
    label,
    configurable: true,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  }));
  return [...standard, ...custom];
}

/** Existing clients expect `number` in the schema and `numeric` in the settings. */
function schemaType(type: AttributeType): SchemaType {
  return type === "numeric" ? "number" : type;
}

function attributeRecord(
  subjectType: SubjectType,
  row: AttributeRow,
  serverOnly: boolean,
  count: number,
): AttributeRecord {
  return {
    name: row.name,
    key: reportKey(subjectType, row.name),
    type: row.type,
    visible: row.visible,
    track_changes: row.trackChanges,
    server_only: serverOnly,
    label: row.label,
    description: row.description,
    group: groupOf(row.name) ?? null,
    source: row.source,
    first_seen_at: row.createdAt.toISOString(),
    last_seen_at: row.lastSeenAt?.toISOString() ?? null,
    count,
  };
}
