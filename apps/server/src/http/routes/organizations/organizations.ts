import { type Brand, isObject, Refusal, type RefusalDetail } from "@muster/protocol";
import { ORGANIZATIONS_API } from "@muster/protocol/api/organizations";
import type { Addresses } from "../../../domain/organizations/addresses.js";
import type { Organization, OrganizationChanges } from "../../../domain/organizations/organization.js";
import { organizationRecord } from "../../../organizations/organization-record.js";
import type { Organizations } from "../../../organizations/organizations.js";
import type { App } from "../../app-type.js";
import { type Caller, isOperator, isOwner } from "../../auth/caller.js";
import type { ObjectHandler } from "../../object-handler.js";
import { pageOfAll } from "../pagination.js";

export interface OrganizationRoutesOptions {
  organizations: Organizations;
  addresses: Addresses;
  brand: Brand;
}

/** Routes by which the operator lists and creates organizations. */
export function organizationRoutes(app: App, { organizations, addresses, brand }: OrganizationRoutesOptions): void {
  app.get(
    "/organizations",
    {
      config: { access: "operator", serverWide: true, servesDisabled: true },
      schema: {
        tags: ["operations"],
        summary: "List the organizations of this server",
        ...ORGANIZATIONS_API["GET /api/v1/organizations"],
      },
    },
    async (request, reply) => {
      const { query } = request;
      const all = query.deleting
        ? (await organizations.listDeleting()).map((each) => deletingRecord(each, addresses))
        : (await organizations.list()).map((each) => organizationRecord(each, addresses));
      return pageOfAll(request, reply, brand, query, all);
    },
  );

  app.post(
    "/organizations",
    {
      config: { access: "operator", serverWide: true, servesDisabled: true },
      schema: {
        tags: ["operations"],
        summary: "Create an organization",
        ...ORGANIZATIONS_API["POST /api/v1/organizations"],
      },
    },
    async ({ body }, reply) => {
      const organization = await organizations.create(body);
      return reply.status(201).send(organizationRecord(organization, addresses));
    },
  );
}

/**
 * Organizations under `/:id`: the caller's own, and all of them for the operator, who alone may change them. Owners may
 * rename their own, and say whether it joins visitors by hints.
 */
export function organizationObjects(organizations: Organizations, addresses: Addresses): ObjectHandler {
  return {
    async read(id, caller) {
      const isOwn = id === caller.organization.id;
      const found = isOwn || !isOperator(caller) ? caller.organization : await organizations.find(id);
      return found?.id === id ? organizationRecord(found, addresses) : undefined;
    },
    async update(id, body, caller) {
      const changes = readChanges(body);
      const isForOwners = changes.enabled === undefined && id === caller.organization.id;
      if (!(isForOwners && isOwner(caller))) requireOperator(caller);
      const updated = await organizations.update(id, changes);
      return updated && organizationRecord(updated, addresses);
    },
    async remove(id, caller, { confirm }) {
      requireOperator(caller);
      const deleted = await organizations.delete(id, confirm);
      return deleted ? deletingRecord(deleted, addresses) : false;
    },
  };
}

function deletingRecord(organization: Organization, addresses: Addresses) {
  return { ...organizationRecord(organization, addresses), status: "deleting" as const };
}

const MAX_NAME_LENGTH = 200;

function readChanges(body: unknown): OrganizationChanges {
  const { name, enabled, join_by_hints: joinByHints, ...others } = isObject(body) ? body : {};
  const details: RefusalDetail[] = Object.keys(others).map((key) => ({
    path: `body.${key}`,
    message: "cannot be changed; an organization has `enabled`, `join_by_hints` and `name`",
  }));
  if (name !== undefined && !(typeof name === "string" && name !== "" && name.length <= MAX_NAME_LENGTH)) {
    details.push({ path: "body.name", message: `must be a text of 1 to ${MAX_NAME_LENGTH} characters` });
  }
  for (const [key, value] of Object.entries({ enabled, join_by_hints: joinByHints })) {
    if (value !== undefined && typeof value !== "boolean") {
      details.push({ path: `body.${key}`, message: "must be true or false" });
    }
  }
  const [first] = details;
  if (first) throw new Refusal("invalid_parameter", `${first.path} ${first.message}.`, { details });
  if (name === undefined && enabled === undefined && joinByHints === undefined) {
    throw new Refusal("missing_parameters", "Nothing is to be changed: give `enabled`, `join_by_hints` or `name`.");
  }
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(typeof enabled === "boolean" ? { enabled } : {}),
    ...(typeof joinByHints === "boolean" ? { joinByHints } : {}),
  };
}

function requireOperator(caller: Caller): void {
  if (!isOperator(caller)) throw new Refusal("forbidden", "Only the operator may change organizations.");
}
