import type { Brand } from "@muster/protocol";
import { freeMap, objectOf, refTo, type Schema, type Schemas, TEXT } from "./schema.js";

const TIME_OR_SECONDS: Schema = { type: ["string", "number"], description: "ISO 8601, or Unix seconds." };

const TRACK_FIELDS: Schemas = {
  event: { type: "string", minLength: 1, description: "The name of the event." },
  properties: freeMap(refTo("AttributeValue"), "What happened, in your own words."),
  ip: {
    type: ["string", "integer", "null"],
    description: "Address of the person; `null` or `0` for calls of a server.",
  },
  url: { type: ["string", "null"], description: "The page." },
  referer: { type: ["string", "null"], description: "The page before, or `null` for calls of a server." },
  source: { ...TEXT, description: "A namespace of your own." },
  type: { ...TEXT, description: "A type of your own." },
  created_at: { ...TIME_OR_SECONDS, description: "When it happened; default: now. ISO 8601, or Unix seconds." },
  event_id: { ...TEXT, description: "An event with the same id is replaced." },
  session_id: TEXT,
  _sid: { ...TEXT, description: "The session of the browser." },
  _bid: { ...TEXT, description: "The id of the browser." },
};

const OPERATION = objectOf(
  {
    operation: { type: "string", enum: ["set", "setIfNull", "inc", "dec", "increment", "decrement"] },
    value: refTo("AttributeValue"),
  },
  ["operation", "value"],
  "Changes the value that is there. Without `operation` it is `set`.",
);

const IDENTIFIERS: Schema = {
  type: "object",
  minProperties: 1,
  properties: {
    anonymous_id: TEXT,
    external_id: TEXT,
    email: { ...TEXT, description: "Of users only." },
    domain: TEXT,
  },
  description: "One or more identifiers of the subject. An end user may give an `anonymous_id` only.",
};

function entry(brand: Brand, type: string, body: Schema, description: string): Schema {
  return objectOf(
    {
      type: { const: type },
      timestamp: { ...TIME_OR_SECONDS, description: "When it was recorded; default: that of the batch." },
      headers: objectOf({
        [brand.headers.accessToken]: {
          ...TEXT,
          description: "A JSON Web Token, signed with the connector's secret (HS256), that names the user or account.",
        },
      }),
      body,
      requestId: TEXT,
      context: freeMap(refTo("AttributeValue"), "Becomes the context of an event."),
    },
    ["timestamp", "requestId", "context", ...(type === "incinerate" ? ["body"] : [])],
    description,
  );
}

const TYPES = { track: "TrackEntry", traits: "TraitsEntry", alias: "AliasEntry", unalias: "UnaliasEntry" } as const;

/** Entries of batches, and the bodies of single entries. */
export function entrySchemas(brand: Brand): Schemas {
  const mapping = Object.entries({ ...TYPES, incinerate: "IncinerateEntry" });
  return {
    TrackBody: objectOf(TRACK_FIELDS, Object.keys(TRACK_FIELDS).slice(1), "An event."),
    Attributes: freeMap(
      { anyOf: [refTo("AttributeValue"), OPERATION] },
      "Attributes by name. A name may have a group before a `/`. The first value gives an attribute its type.",
    ),
    OneAttribute: objectOf(
      { name: TEXT, value: refTo("AttributeValue"), operation: OPERATION.properties.operation as Schema },
      ["operation"],
      "One attribute.",
    ),
    TraitsBody: {
      anyOf: [refTo("OneAttribute"), refTo("Attributes")],
      description: "Exactly `{name, value, operation?}` is one attribute; any other object has attributes by name.",
    },
    Identifiers: IDENTIFIERS,
    TrackEntry: entry(brand, "track", refTo("TrackBody"), "An event of a user."),
    TraitsEntry: entry(brand, "traits", refTo("Attributes"), "Attributes of a user or account. `{}` only resolves it."),
    AliasEntry: entry(brand, "alias", refTo("Identifiers"), "More identifiers of a user or account."),
    UnaliasEntry: entry(brand, "unalias", refTo("Identifiers"), "Identifiers that a user or account has no more."),
    IncinerateEntry: entry(
      brand,
      "incinerate",
      { type: "object", additionalProperties: false, description: "Empty." },
      "Erases the user or account.",
    ),
    PageRecord: objectOf(
      {
        id: { ...TEXT, description: "A random id. A record that is sent again with its id counts once." },
        type: { type: "string", enum: Object.keys(TYPES) },
        timestamp: { ...TIME_OR_SECONDS, description: "When it was recorded, by the clock of the page." },
        body: { anyOf: [refTo("TrackBody"), refTo("Attributes"), refTo("Identifiers")] },
      },
      [],
      "Something that a visitor of a website did. The body is like that of a batch entry of the same type.",
    ),
    BatchEntry: {
      oneOf: mapping.map(([, name]) => refTo(name)),
      discriminator: {
        propertyName: "type",
        mapping: Object.fromEntries(mapping.map(([type, name]) => [type, `#/components/schemas/${name}`])),
      },
      description: "One thing that is said about a user or account. The token in its headers says about whom.",
    },
  };
}
