import { type Static, Type } from "typebox";
import { PageQuery } from "./paging.js";
import { nullable, textIn } from "./schema.js";
import { OptionalTime, Time } from "./values.js";

export const WRITE_KEY_KINDS = ["server", "page"] as const;

const name = Type.String({ minLength: 1, maxLength: 200 });
const domains = Type.Array(Type.String({ minLength: 1, maxLength: 253 }), {
  maxItems: 200,
  description: "Of a page key: the hosts of the pages that may use it; `*.example.com` for all hosts under it.",
});
const apps = Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
  maxItems: 50,
  description: "Of a page key: the apps that may use it, by the `context.app.namespace` that they send.",
});
const trustIdentify = Type.Boolean({
  description:
    "Of a page key: what its calls say about who somebody is counts as proof. Everybody who opens the website can read the key, and can then write as any of your users.",
});

export const WriteKey = Type.Object(
  {
    id: Type.String(),
    kind: textIn(WRITE_KEY_KINDS, {
      description: "`server`: kept secret, and trusted. `page`: public on websites and in apps, and not trusted.",
    }),
    name: Type.String(),
    domains,
    apps,
    trust_identify: trustIdentify,
    key: nullable(Type.String(), {
      description:
        "What callers send, as the user name of Basic authentication or as `writeKey`. Null when it is a server key and the caller is neither the connector itself nor an owner nor the operator.",
    }),
    created_at: Time,
    last_used_at: OptionalTime,
  },
  {
    component: "WriteKey",
    description: "A text that lets its holder write in the name of a connector, and read nothing.",
  },
);
export type WriteKey = Static<typeof WriteKey>;

const NewWriteKey = Type.Object({
  kind: textIn(WRITE_KEY_KINDS),
  name,
  domains: Type.Optional(domains),
  apps: Type.Optional(apps),
  trust_identify: Type.Optional(trustIdentify),
});
export type NewWriteKey = Static<typeof NewWriteKey>;

const WriteKeyChange = Type.Object({
  name: Type.Optional(name),
  domains: Type.Optional(domains),
  apps: Type.Optional(apps),
  trust_identify: Type.Optional(trustIdentify),
});
export type WriteKeyChange = Static<typeof WriteKeyChange>;

const connector = Type.Object({ id: Type.String({ description: "Connector id." }) });
const connectorOrApp = Type.Object({ id: Type.String({ description: "Connector id, or `app`." }) });
const key = Type.Object({
  ...connector.properties,
  key_id: Type.String({ maxLength: 100, description: "The `id` of a write key." }),
});

export const WRITE_KEYS_API = {
  "GET /api/v1/{id}/write_keys": {
    params: connectorOrApp,
    querystring: PageQuery,
    response: { 200: Type.Array(WriteKey) },
  },
  "POST /api/v1/{id}/write_keys": { params: connector, body: NewWriteKey, response: { 201: WriteKey } },
  "PUT /api/v1/{id}/write_keys/{key_id}": { params: key, body: WriteKeyChange, response: { 200: WriteKey } },
  "DELETE /api/v1/{id}/write_keys/{key_id}": {
    params: key,
    response: { 200: Type.Object({ id: Type.String(), deleted: Type.Literal(true) }) },
  },
  "POST /api/v1/{id}/write_keys/{key_id}/roll": { params: key, response: { 200: WriteKey } },
};
