import { isId, Refusal } from "@muster/protocol";
import type { Organization } from "../domain/organizations/organization.js";
import { GATEWAY_LABEL, isNamespace } from "../domain/organizations/organization-reference.js";
import { isUniqueViolation, type Queryable } from "../storage/postgres/database.js";
import { createOrganization, findOrganization, listOrganizations } from "../storage/postgres/objects/organizations.js";

/** The organizations of this server. */
export class Organizations {
  readonly #database: Queryable;

  constructor(database: Queryable) {
    this.#database = database;
  }

  /** All organizations, the oldest first. */
  list(): Promise<Organization[]> {
    return listOrganizations(this.#database);
  }

  /** Finds an organization by its id or its namespace. */
  find(idOrNamespace: string): Promise<Organization | undefined> {
    return findOrganization(this.#database, idOrNamespace);
  }

  /** Creates an organization; its name is the namespace unless one is given. */
  async create({ namespace, name = namespace }: { namespace: string; name?: string }): Promise<Organization> {
    // A namespace that looks like an id could be mistaken for the id of another organization.
    if (!isNamespace(namespace) || isId(namespace) || namespace === GATEWAY_LABEL) {
      throw new Refusal(
        "invalid_parameter",
        `"${namespace}" cannot be a namespace: use 1 to 63 lower-case letters, digits and hyphens, not "${GATEWAY_LABEL}".`,
      );
    }
    try {
      return await createOrganization(this.#database, { namespace, name });
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new Refusal("conflict", `There is already an organization "${namespace}".`);
    }
  }
}
