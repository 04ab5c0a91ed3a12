import type { SubjectType } from "@muster/protocol";
import { LRUCache } from "lru-cache";
import { loadAllAttributes } from "../../audience/attributes/attribute-definitions.js";
import { defineAttribute, newAttributesOf } from "../../domain/apply/define-attribute.js";
import { senderOf } from "../../domain/apply/name-sender.js";
import type { AttributeDefinitions } from "../../domain/attributes/attribute-definitions.js";
import type { Entry } from "../../domain/entries/entry.js";
import type { Database } from "../../storage/postgres/database.js";
import type { ApplyRules } from "../apply/apply-rules.js";
import { loadNewNames } from "../apply/load-new-names.js";

export interface RefusedAttributesOptions {
  database: Database;
  rules: Pick<ApplyRules, "newNames" | "hash" | "maxAttributes">;
}

/** An attribute of an entry that will not be applied. */
export interface RefusedAttribute {
  /** The place of the entry among those that were asked about. */
  index: number;
  name: string;
  message: string;
}

const MAX_ORGANIZATIONS = 500;

/**
 * Tells an end user which new attributes the apply stage will refuse, because end users have defined as many as they may. The
 * apply stage decides; this is for the answer, which is sent before. A refusal that it could not foresee is in the list of
 * rejected entries only.
 */
export class RefusedAttributes {
  readonly #options: RefusedAttributesOptions;
  /** The definitions of organizations. They may be old: attributes are added to them and never removed. */
  readonly #known = new LRUCache<string, Record<SubjectType, AttributeDefinitions>>({ max: MAX_ORGANIZATIONS });

  constructor(options: RefusedAttributesOptions) {
    this.#options = options;
  }

  async find(organizationId: string, entries: readonly Entry[]): Promise<RefusedAttribute[]> {
    const known = this.#known.get(organizationId);
    const isNew = (entry: Entry) =>
      entry.type === "traits" && (!known || newAttributesOf(entry, known[entry.subject]).length > 0);
    if (!entries.some(isNew)) return [];
    const { database, rules } = this.#options;
    const attributes = await loadAllAttributes(database, organizationId, rules.maxAttributes);
    this.#known.set(organizationId, { user: attributes.user.copy(), account: attributes.account.copy() });
    const newNames = await loadNewNames(database, organizationId, entries, { rules, attributes, now: Date.now() });
    return entries.flatMap((entry, index) => {
      const definitions = attributes[entry.subject];
      const endUser = { newNames, sender: () => senderOf(entry, rules.hash) };
      const context = { subjectType: entry.subject, definitions, source: entry.connectorId, endUser };
      return newAttributesOf(entry, definitions).flatMap(({ given, name, value }) => {
        const defined = defineAttribute(name, value, context);
        if (typeof defined === "string") return [];
        return [{ index, name: given, message: `The attribute "${given}" was refused: ${defined.refused}.` }];
      });
    });
  }
}
