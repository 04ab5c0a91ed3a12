import { type Static, type TSchema, Type } from "typebox";
import { createBrand } from "../brand.js";
import { type JsonObject, mapOf, textIn } from "./schema.js";
import { AttributeValue } from "./values.js";

/**
 * The header of an entry that names its subject, with the default brand. The document of a server with another brand
 * shows the header of that brand.
 */
export const ACCESS_TOKEN_HEADER = createBrand().headers.accessToken;

function timeOrSeconds(description: string) {
  return Type.Unsafe<string | number>({ type: ["string", "number"], description });
}

export const TrackBody = Type.Object(
  {
    event: Type.String({ minLength: 1, description: "The name of the event." }),
    properties: Type.Optional(mapOf(AttributeValue, "What happened, in your own words.")),
    ip: Type.Optional(
      Type.Unsafe<string | number | null>({
        type: ["string", "integer", "null"],
        description: "Address of the person; `null` or `0` for calls of a server.",
      }),
    ),
    url: Type.Optional(Type.Unsafe<string | null>({ type: ["string", "null"], description: "The page." })),
    referer: Type.Optional(
      Type.Unsafe<string | null>({
        type: ["string", "null"],
        description: "The page before, or `null` for calls of a server.",
      }),
    ),
    source: Type.Optional(Type.String({ description: "A namespace of your own." })),
    type: Type.Optional(Type.String({ description: "A type of your own." })),
    created_at: Type.Optional(timeOrSeconds("When it happened; default: now. ISO 8601, or Unix seconds.")),
    event_id: Type.Optional(Type.String({ description: "An event with the same id is replaced." })),
    session_id: Type.Optional(Type.String()),
    entity_id: Type.Optional(
      Type.Unsafe<string | number>({
        type: ["string", "number"],
        description:
          "The entity that the user acted on: its object id, or an id of your own. An id that is not known makes an entity.",
      }),
    ),
    entity_url: Type.Optional(
      Type.String({ description: "The http or https address of that entity. Alone it is its id too." }),
    ),
    _sid: Type.Optional(Type.String({ description: "The session of the browser." })),
    _bid: Type.Optional(Type.String({ description: "The id of the browser." })),
  },
  { component: "TrackBody", description: "An event." },
);
export type TrackBody = Static<typeof TrackBody>;

const operation = textIn(["set", "setIfNull", "inc", "dec", "increment", "decrement"]);

const Operation = Type.Object(
  { operation: Type.Optional(operation), value: Type.Optional(AttributeValue) },
  { description: "Changes the value that is there. Without `operation` it is `set`." },
);

export const Attributes = Type.Unsafe<JsonObject>({
  ...mapOf(
    Type.Union([AttributeValue, Operation]),
    "Attributes by name. A name may have a group before a `/`. The first value gives an attribute its type.",
  ),
  component: "Attributes",
});

const OneAttribute = Type.Object(
  { name: Type.String(), value: AttributeValue, operation: Type.Optional(operation) },
  { component: "OneAttribute", description: "One attribute." },
);

export const TraitsBody = Type.Union([OneAttribute, Attributes], {
  component: "TraitsBody",
  description: "Exactly `{name, value, operation?}` is one attribute; any other object has attributes by name.",
});

export const Identifiers = Type.Object(
  {
    anonymous_id: Type.Optional(Type.String()),
    external_id: Type.Optional(Type.String()),
    email: Type.Optional(Type.String({ description: "Of users only." })),
    domain: Type.Optional(Type.String()),
  },
  {
    minProperties: 1,
    component: "Identifiers",
    description: "One or more identifiers of the subject. An end user may give an `anonymous_id` only.",
  },
);
export type Identifiers = Static<typeof Identifiers>;

function entry(name: string, type: string, body: TSchema, description: string) {
  return Type.Object(
    {
      type: Type.Literal(type),
      timestamp: Type.Optional(timeOrSeconds("When it was recorded; default: that of the batch.")),
      headers: Type.Object({
        [ACCESS_TOKEN_HEADER]: Type.String({
          description: "A JSON Web Token, signed with the connector's secret (HS256), that names the user or account.",
        }),
      }),
      body,
      requestId: Type.Optional(Type.String()),
      context: Type.Optional(mapOf(AttributeValue, "Becomes the context of an event.")),
    },
    { component: name, description },
  );
}

const ENTRIES = {
  track: entry("TrackEntry", "track", TrackBody, "An event of a user."),
  traits: entry("TraitsEntry", "traits", Attributes, "Attributes of a user or account. `{}` only resolves it."),
  alias: entry("AliasEntry", "alias", Identifiers, "More identifiers of a user or account."),
  unalias: entry("UnaliasEntry", "unalias", Identifiers, "Identifiers that a user or account has no more."),
  incinerate: entry(
    "IncinerateEntry",
    "incinerate",
    Type.Optional(Type.Object({}, { additionalProperties: false, description: "Empty." })),
    "Erases the user or account.",
  ),
};

const DISCRIMINATOR = {
  propertyName: "type",
  mapping: Object.fromEntries(
    Object.entries(ENTRIES).map(([type, { component }]: [string, TSchema & { component?: unknown }]) => [
      type,
      `#/components/schemas/${component}`,
    ]),
  ),
};

/** An entry as a sender may send it. The intake checks it, so its type says nothing; `BatchEntry` of this package is checked. */
export const SentEntry = Type.Unsafe<unknown>({
  oneOf: Object.values(ENTRIES),
  discriminator: DISCRIMINATOR,
  description: "One thing that is said about a user or account. The token in its headers says about whom.",
  component: "BatchEntry",
});

const PageAlias = Type.Object(
  {
    anonymous_id: Type.Optional(Type.String()),
    from: Type.Optional(Type.Literal("link", { description: "The id was in a link, which anybody can make: a hint." })),
    token: Type.Optional(
      Type.String({ description: "Instead: a token of a connector that names a user by an `anonymous_id` alone." }),
    ),
  },
  { component: "PageAlias", description: "A further anonymous id of the visitor." },
);

export const PageRecord = Type.Object(
  {
    id: Type.String({ description: "A random id. A record that is sent again with its id counts once." }),
    type: textIn(["track", "traits", "alias", "unalias"]),
    timestamp: timeOrSeconds("When it was recorded, by the clock of the page."),
    body: Type.Union([TrackBody, Attributes, PageAlias]),
  },
  {
    component: "PageRecord",
    description:
      "Something that a visitor of a website did. The body is like that of a batch entry of the same type; an alias can have a token.",
  },
);
export type PageRecord = Static<typeof PageRecord>;
