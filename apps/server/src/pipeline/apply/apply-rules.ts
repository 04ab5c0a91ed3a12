import { createBrand, isDefaultBrand } from "@muster/protocol";
import type { ContextReaders } from "../../domain/events/event-context.js";
import { ATTRIBUTES_CHANGED, OLDER_ATTRIBUTES_CHANGED } from "../../domain/events/own-event.js";
import type { RosterLimits } from "../../domain/identity/roster.js";
import { createKeyedHash, type KeyedHash } from "../../runtime/secrets/keyed-hash.js";
import type { Config } from "../../runtime/settings/config.js";
import { createContextReaders } from "./context-readers.js";

/** The limits and the readers with which entries are applied. */
export interface ApplyRules extends RosterLimits {
  readers: ContextReaders;
  maxAttributes: number;
  maxValueBytes: number;
  maxEntities: number;
  /** Most attributes that end users may define in an organization on one day. */
  endUserNewAttributesPerDay: number;
  /** The name of the event about changed attributes. */
  attributesChanged: string;
  /** Hashes the identifiers of erased subjects. */
  hash: KeyedHash;
}

/** The rules as the settings say. `secretKey` is the key of the server. */
export function readApplyRules(config: Config, secretKey: string): ApplyRules {
  const { geoipFile, maxAttributes, maxValueBytes, maxEntities, endUserNewAttributesPerDay } = config;
  const { mergesPerDay, maxAnonymousIds, maxSubjectBytes } = config;
  const readers = createContextReaders(geoipFile);
  const hash = createKeyedHash(secretKey, "erased identifiers");
  const limits = { maxAttributes, maxValueBytes, maxEntities, endUserNewAttributesPerDay };
  const attributesChanged = isDefaultBrand(createBrand(config.brand)) ? ATTRIBUTES_CHANGED : OLDER_ATTRIBUTES_CHANGED;
  return { readers, hash, attributesChanged, ...limits, mergesPerDay, maxAnonymousIds, maxSubjectBytes };
}
