import type { SubjectType } from "@muster/protocol";
import { attributeName } from "@muster/query";
import { isPlatformField } from "../attributes/standard-fields.js";

/** What a field of an import file is for. */
export interface FieldRole {
  role:
    | "attribute"
    /** Tells who is meant, and nothing else. */
    | "identifier"
    /** Tells who is meant, and is an attribute too. */
    | "identifying"
    | "id"
    | "anonymous_ids"
    | "account_id"
    | "account"
    /** The platform keeps it itself; extracts hold it. */
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

/** Knows what fields are for. A file has few names and many records, so each name is looked at once. */
export class ImportFields {
  readonly #kind: SubjectType;
  readonly #known: Map<string, FieldRole>;

  constructor(kind: SubjectType) {
    this.#kind = kind;
    this.#known = new Map(Object.entries(OWN[kind]));
  }

  roleOf(key: string): FieldRole {
    let role = this.#known.get(key);
    if (!role) {
      role = this.#decide(key);
      // A file whose names never repeat must not fill the memory with them.
      if (this.#known.size < MAX_KNOWN) this.#known.set(key, role);
    }
    return role;
  }

  #decide(key: string): FieldRole {
    const name = attributeName(this.#kind, key);
    const own = OWN[this.#kind];
    if (name !== key && Object.hasOwn(own, name)) return own[name] as FieldRole;
    return { role: isPlatformField(this.#kind, name) ? "ignored" : "attribute", name };
  }
}

const MAX_KNOWN = 10_000;
