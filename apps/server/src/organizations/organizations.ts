import { isId, Refusal } from "@muster/protocol";
import {
  DEFAULT_NAMESPACE,
  type Organization,
  type OrganizationChanges,
} from "../domain/organizations/organization.js";
import { GATEWAY_LABEL, isNamespace } from "../domain/organizations/organization-reference.js";
import { isUniqueViolation, type Queryable } from "../storage/postgres/database.js";
import {
  createOrganization,
  findOrganization,
  listDeletedOrganizations,
  listOrganizations,
  markOrganizationDeleted,
  updateOrganization,
} from "../storage/postgres/objects/organizations.js";

/** Called after an organization was changed or deleted. What this process keeps in memory must follow. */
type OnChange = () => Promise<void>;

/** The organizations of this server. */
export class Organizations {
  readonly #database: Queryable;
  readonly #onChange: OnChange;

  constructor(database: Queryable, onChange: OnChange = async () => {}) {
    this.#database = database;
    this.#onChange = onChange;
  }

  /** All organizations, the oldest first. */
  list(): Promise<Organization[]> {
    return listOrganizations(this.#database);
  }

  /** Organizations that were deleted and whose data is still being removed. */
  listDeleting(): Promise<Organization[]> {
    return listDeletedOrganizations(this.#database);
  }

  /** Finds an organization by its id or its namespace. */
  find(idOrNamespace: string): Promise<Organization | undefined> {
    return findOrganization(this.#database, idOrNamespace);
  }

  /** Renames, enables or disables an organization; undefined when there is none with the id. */
  async update(id: string, changes: OrganizationChanges): Promise<Organization | undefined> {
    const updated = await updateOrganization(this.#database, id, changes);
    if (updated) await this.#onChange();
    return updated;
  }

  /**
   * Deletes an organization for good; undefined when there is none with the id. `confirmed` must be its namespace. The
   * organization is not found any more at once. A loop removes its data (upkeep/delete-organizations.ts).
   */
  async delete(id: string, confirmed: unknown): Promise<Organization | undefined> {
    const organization = await this.find(id);
    if (!organization) return undefined;
    const { namespace } = organization;
    if (namespace === DEFAULT_NAMESPACE) {
      throw new Refusal("conflict", "The default organization cannot be deleted: requests that name none are for it.");
    }
    if (confirmed !== namespace) {
      const message = `Everything of the organization will be removed for good. To confirm, send confirm=${namespace}.`;
      throw new Refusal(confirmed === undefined ? "missing_parameters" : "invalid_parameter", message, {
        details: [{ path: "querystring.confirm", message: "must be the namespace of the organization" }],
      });
    }
    const deleted = await markOrganizationDeleted(this.#database, id);
    if (deleted) await this.#onChange();
    return deleted;
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
