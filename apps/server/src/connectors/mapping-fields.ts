import { parseJson, type RefusalDetail } from "@muster/protocol";
import { type DeclaredSetting, type NewField, newFields } from "@muster/protocol/manifest";
import { attributeName, isStandardField } from "@muster/query";
import { loadAttributeTypes } from "../audience/attributes/attribute-definitions.js";
import type { Connector } from "../domain/connectors/connector.js";
import { readOfferedOptions } from "../domain/connectors/offered-options.js";
import { OutboundError } from "../outbound/outbound-error.js";
import { matchPatterns } from "../runtime/patterns/match-patterns.js";
import type { Threads } from "../runtime/threads/threads.js";
import type { Database } from "../storage/postgres/database.js";
import type { ConnectorDirectory } from "./connector-directory.js";
import type { ConnectorEndpoints } from "./connector-endpoints.js";

export interface MappingFieldsOptions {
  database: Database;
  directory: ConnectorDirectory;
  endpoints: ConnectorEndpoints;
  /** Starts the thread that matches patterns. */
  threads: Threads;
}

/** The settings of a connector in one group, with the values that are given and those that are stored. */
export interface GivenSettings {
  declared: readonly DeclaredSetting[];
  given: Record<string, unknown>;
  stored: Record<string, unknown>;
}

// A mapping can have thousands of rows. A longer list does not help the caller.
const MAX_PROBLEMS = 100;

/** Checks the new fields of mappings: they must match the pattern of the mapping. */
export class MappingFields {
  readonly #options: MappingFieldsOptions;

  constructor(options: MappingFieldsOptions) {
    this.#options = options;
  }

  /** What is wrong with new fields. An existing field is never wrong, so a field that does not match is looked up first. */
  async problems(connector: Connector, { declared, given, stored }: GivenSettings): Promise<RefusalDetail[]> {
    const fields = newFields(declared, given, stored);
    const results = await matchPatterns(
      this.#options.threads,
      fields.map(({ pattern, name }) => ({ pattern, text: name })),
    );
    const unmatched = fields.filter((_, index) => results?.[index] !== true);
    if (unmatched.length === 0) return [];
    const existing = await this.#existing(connector, declared, unmatched);
    return unmatched
      .filter((field) => !existing.has(field))
      .slice(0, MAX_PROBLEMS)
      .map(({ path, pattern }) => ({
        path,
        message: results
          ? `must match the pattern ${pattern}`
          : `cannot be checked: the pattern ${pattern} takes too long`,
      }));
  }

  /** The existing ones of these fields: attributes of the organization, and fields that the connector offers. */
  async #existing(
    connector: Connector,
    declared: readonly DeclaredSetting[],
    fields: readonly NewField[],
  ): Promise<ReadonlySet<NewField>> {
    const found = new Set<NewField>();
    for (const { name, format, options } of declared) {
      const own = fields.filter(({ setting }) => setting === name);
      const attributes = own.filter(({ side }) => side === "attribute");
      if (attributes.length > 0) {
        const isAttribute = await this.#attributesOf(connector, format === "accountTraitMapping" ? "account" : "user");
        for (const field of attributes) if (isAttribute(field.name)) found.add(field);
      }
      const inService = own.filter(({ side }) => side === "service");
      if (inService.length > 0 && options?.loadOptions !== undefined) {
        const offered = await this.#offered(connector, options.loadOptions);
        for (const field of inService) if (offered.has(field.name)) found.add(field);
      }
    }
    return found;
  }

  async #attributesOf({ organizationId }: Connector, subjectType: "user" | "account") {
    const types = await loadAttributeTypes(this.#options.database, organizationId);
    return (name: string) =>
      types.typeOf(subjectType, name) !== undefined || isStandardField(subjectType, attributeName(subjectType, name));
  }

  /** The values that an endpoint of the connector offers; none when it does not answer. */
  async #offered({ id }: Connector, path: string): Promise<ReadonlySet<string>> {
    const { directory, endpoints } = this.#options;
    const listed = directory.find(id);
    if (!listed || listed.connector.sourceUrl === null) return new Set();
    try {
      const { status, content } = await endpoints.call(listed, path);
      const answer = status < 200 || status > 299 ? undefined : parseJson(content);
      return new Set(readOfferedOptions(answer)?.map(({ value }) => String(value)));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return new Set();
    }
  }
}
