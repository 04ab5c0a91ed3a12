import { createBrand, isDefaultBrand } from "@muster/protocol";
import type { NameLimits } from "../../domain/apply/new-names.js";
import type { ContextReaders } from "../../domain/events/event-context.js";
import { ATTRIBUTES_CHANGED, OLDER_ATTRIBUTES_CHANGED } from "../../domain/events/own-event.js";
import type { RosterLimits } from "../../domain/identity/merge-limits.js";
import { createKeyedHash, type KeyedHash } from "../../runtime/secrets/keyed-hash.js";
import type { Config } from "../../runtime/settings/config.js";
import { createContextReaders } from "./context-readers.js";

/** The limits and the readers with which entries are applied. */
export interface ApplyRules extends RosterLimits {
  readers: ContextReaders;
  maxAttributes: number;
  maxValueBytes: number;
  maxEntities: number;
  /** How many new names end users may define on one day. */
  newNames: NameLimits;
  /** The name of the event about changed attributes. */
  attributesChanged: string;
  /** Hashes the identifiers of erased subjects, and the senders of new names. */
  hash: KeyedHash;
}

/** The rules as the settings say. `secretKey` is the key of the server. */
export function readApplyRules(config: Config, secretKey: string): ApplyRules {
  const { geoipFile, maxAttributes, maxValueBytes, maxEntities } = config;
  const { mergesPerDay, maxAnonymousIds, maxSubjectBytes } = config;
  const readers = createContextReaders(geoipFile);
  const hash = createKeyedHash(secretKey, "erased identifiers");
  const newNames = {
    perOrganization: config.endUserNewAttributesPerDay,
    perVisitor: config.visitorNewAttributesPerDay,
  };
  const limits = { maxAttributes, maxValueBytes, maxEntities, newNames };
  const attributesChanged = isDefaultBrand(createBrand(config.brand)) ? ATTRIBUTES_CHANGED : OLDER_ATTRIBUTES_CHANGED;
  return { readers, hash, attributesChanged, ...limits, mergesPerDay, maxAnonymousIds, maxSubjectBytes };
}
