import type { SubjectType } from "@muster/protocol";
import { attributeName } from "@muster/query";
import { isKeptByMuster } from "../attributes/standard-fields.js";

/** What a field of an import file means. */
export interface FieldRole {
  role:
    | "attribute"
    /** Identifies the subject, and is no attribute. */
    | "identifier"
    /** Identifies the subject, and is an attribute too. */
    | "identifying"
    | "id"
    | "anonymous_ids"
    | "account_id"
    | "account"
    /** Muster computes the field itself. Extracts hold it, imports leave it out. */
    | "ignored";
  /** The name of the attribute or identifier. */
  name: string;
}

const COMMON: Record<string, FieldRole> = {
  id: { role: "id", name: "id" },
  external_id: { role: "identifier", name: "external_id" },
  anonymous_id: { role: "identifier", name: "anonymous_id" },
  anonymousId: { role: "identifier", name: "anonymous_id" },
  anonymous_ids: { role: "anonymous_ids", name: "anonymous_ids" },
  domain: { role: "identifying", name: "domain" },
};

const OWN: Record<SubjectType, Record<string, FieldRole>> = {
  user: {
    ...COMMON,
    userId: { role: "identifier", name: "external_id" },
    email: { role: "identifying", name: "email" },
    accountId: { role: "account_id", name: "accountId" },
    account: { role: "account", name: "account" },
  },
  account: { ...COMMON, accountId: { role: "identifier", name: "external_id" } },
};

/** Decides what fields mean. A file has few names and many records, so each name is decided once. */
export class ImportFields {
  readonly #subjectType: SubjectType;
  readonly #known: Map<string, FieldRole>;

  constructor(subjectType: SubjectType) {
    this.#subjectType = subjectType;
    this.#known = new Map(Object.entries(OWN[subjectType]));
  }

  roleOf(key: string): FieldRole {
    let role = this.#known.get(key);
    if (!role) {
      role = this.#decide(key);
      // A file may have different names in every record, and they must not fill the memory.
      if (this.#known.size < MAX_KNOWN) this.#known.set(key, role);
    }
    return role;
  }

  #decide(key: string): FieldRole {
    const name = attributeName(this.#subjectType, key);
    const own = OWN[this.#subjectType];
    if (name !== key && Object.hasOwn(own, name)) return own[name] as FieldRole;
    return { role: isKeptByMuster(this.#subjectType, name) ? "ignored" : "attribute", name };
  }
}

const MAX_KNOWN = 10_000;
