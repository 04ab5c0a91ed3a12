import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { isIP } from "node:net";
import { LRUCache } from "lru-cache";
import { Reader, type Response } from "mmdb-lib";
import { UAParser } from "ua-parser-js";
import type { ContextReaders, Location, UserAgent } from "../../domain/events/event-context.js";

// A few thousand addresses and user agents make up nearly all requests of an hour.
const CACHE_SIZE = 5_000;
// Clients choose these texts. The user agent parser reads 500 characters of a text and ignores the rest.
const MAX_CACHED_LENGTH = 500;

const SHIPPED = "@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb";

/**
 * Readers of locations and user agents. `file` names a location database; the one that is shipped knows countries only, and
 * is read when the first address is looked up.
 */
export function createContextReaders(file: string | undefined): ContextReaders {
  let database = file === undefined ? undefined : openLocations(file);
  const locationOf = (ip: string) => {
    database ??= openLocations(createRequire(import.meta.url).resolve(SHIPPED));
    return readLocation(database.get(ip));
  };
  return {
    locate: cached((ip: string) => (isIP(ip) === 0 ? undefined : locationOf(ip))),
    readUserAgent: cached(parseUserAgent),
  };
}

function openLocations(path: string): Reader<Response> {
  try {
    return new Reader<Response>(readFileSync(path));
  } catch (cause) {
    throw new Error(`The file ${path} of locations (GEOIP_FILE) cannot be read: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/**
 * Reads a record of a location database. There are two forms of records: flat ones, and ones with names by language.
 */
function readLocation(record: unknown): Location | undefined {
  if (typeof record !== "object" || record === null) return undefined;
  const { country_code, state1, city, latitude, longitude, timezone, country, subdivisions, location } = record as {
    country_code?: string;
    state1?: string;
    city?: string | { names?: { en?: string } };
    latitude?: number;
    longitude?: number;
    timezone?: string;
    country?: { iso_code?: string };
    subdivisions?: { names?: { en?: string } }[];
    location?: { latitude?: number; longitude?: number; time_zone?: string };
  };
  return defined({
    country: country_code ?? country?.iso_code,
    region: state1 ?? subdivisions?.[0]?.names?.en,
    city: typeof city === "string" ? city : city?.names?.en,
    latitude: latitude ?? location?.latitude,
    longitude: longitude ?? location?.longitude,
    timezone: timezone ?? location?.time_zone,
  });
}

function parseUserAgent(text: string): UserAgent {
  const { browser, os, device } = new UAParser(text).getResult();
  return (
    defined({
      browser: defined({ name: browser.name, version: browser.version }),
      os: defined({ name: os.name, version: os.version }),
      device: defined({ name: device.model, type: device.type }),
    }) ?? {}
  );
}

/** The object without its empty fields; undefined when nothing is left. */
function defined<Fields extends Record<string, unknown>>(fields: Fields): Partial<Fields> | undefined {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined && value !== "");
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as Partial<Fields>);
}

/** Remembers the results of `read`. A text of more than `MAX_CACHED_LENGTH` characters is read anew each time. */
function cached<Value>(read: (text: string) => Value): (text: string) => Value {
  // The cache takes `undefined` for a missing entry, so each result is kept in an object.
  const known = new LRUCache<string, { value: Value }>({
    max: CACHE_SIZE,
    memoMethod: (text) => ({ value: read(text) }),
  });
  return (text) => (text.length > MAX_CACHED_LENGTH ? read(text) : known.memo(text).value);
}
