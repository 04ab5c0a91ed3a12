import { isObject, Refusal } from "@muster/protocol";
import type { PlatformFields } from "../../../domain/platforms/platform.js";
import type { Deployments } from "../../../platforms/deployments.js";
import { platformRecord } from "../../../platforms/platform-record.js";
import type { Platforms } from "../../../platforms/platforms.js";
import { type Caller, isOwner } from "../../auth/caller.js";
import type { ObjectHandler } from "../../object-handler.js";

/** Platforms under `/:id`. */
export function platformObjects(platforms: Platforms): ObjectHandler {
  return {
    async read(id, { organization }) {
      const platform = await platforms.find(organization.id, id);
      return platform && platformRecord(platform);
    },
    async update(id, body, caller) {
      requireOwner(caller);
      const platform = await platforms.update(caller.organization.id, id, readFields(body));
      return platform && platformRecord(platform);
    },
    async remove(id, caller) {
      requireOwner(caller);
      return platforms.remove(caller.organization.id, id);
    },
  };
}

/** Deployments under `/:id`. */
export function deploymentObjects(deployments: Deployments): ObjectHandler {
  return {
    read: (id, { organization }) => deployments.find(organization, id),
    async update(id, body, caller) {
      requireOwner(caller);
      return deployments.update(caller.organization, id, isObject(body) ? body.settings : undefined);
    },
    async remove(id, caller) {
      requireOwner(caller);
      return deployments.remove(caller.organization.id, id);
    },
  };
}

function readFields(body: unknown): PlatformFields {
  const { name, domains, settings } = isObject(body) ? body : {};
  const problems = [
    ...(name === undefined || (typeof name === "string" && name !== "") ? [] : ["name must be a text"]),
    ...(domains === undefined || isTexts(domains) ? [] : ["domains must be a list of texts"]),
    ...(settings === undefined || isObject(settings) ? [] : ["settings must be an object"]),
  ];
  if (problems.length > 0) {
    throw new Refusal("invalid_parameter", `The platform cannot be changed: ${problems.join("; ")}.`);
  }
  return {
    ...(typeof name === "string" ? { name } : {}),
    ...(isTexts(domains) ? { domains } : {}),
    ...(isObject(settings) ? { settings } : {}),
  };
}

function requireOwner(caller: Caller): void {
  if (!isOwner(caller)) throw new Refusal("forbidden", "Only owners and the operator may change platforms.");
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
