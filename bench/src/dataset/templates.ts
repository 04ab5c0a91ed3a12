import { signToken } from "@muster/protocol";
import type { Api } from "../lib/api.js";
import type { RunningServer } from "../lib/start-server.js";
import { waitForPosition } from "../lib/wait-for-position.js";
import { ATTRIBUTES, EVENT_NAMES, type GeneratedAttribute } from "./attributes.js";
import { SHAPES, shapeHas } from "./generated-sql.js";
import type { Marker } from "./learn-row.js";

/**
 * Users, an account and an event that the server itself has stored, with texts and numbers that occur nowhere else. What
 * they became in both engines shows what any other user looks like there.
 */
export interface Templates {
  /** The id of the template user of each shape. */
  userIds: string[];
  accountId: string;
  /** Undefined when no events are generated. */
  eventId: string | undefined;
  /** What stands for the values of a user of each shape, of an account, and of an event. */
  markers: { user: Marker[][]; account: Marker[][]; event: Marker[][] };
}

const EXTERNAL_ID = "template-user";
const ACCOUNT_ID = "template-account";
const INDUSTRY = "template industry";
const EVENT = "template event";
const EVENT_ID = "template-event-id";
const PATH = "template path";
const AMOUNT = 7_000_900_001;
const CREATED_AT = "2021-03-04T05:06:07.089Z";
const EVENT_AT = "2021-06-07T08:09:10.011Z";

/** The value of an attribute in the template of a shape; undefined when users of the shape have none. */
function templateValue(attribute: GeneratedAttribute, shape: number): string | number | boolean | undefined {
  const has = shapeHas(shape, attribute);
  if (attribute.value === "flag") return has;
  if (has === false) return undefined;
  const place = ATTRIBUTES.indexOf(attribute);
  if (attribute.value === "number") return 7_000_000_001 + place * 1_000;
  if (attribute.value === "day") return new Date(Date.UTC(2031, 2, place + 1, 4, 5, 6, 789)).toISOString();
  return `template ${attribute.name}`;
}

/** Declares the attributes, sends the templates through the gateway, and reads what the server made of them. */
export async function storeTemplates(server: RunningServer, api: Api, hasEvents: boolean): Promise<Templates> {
  for (const { name, type } of ATTRIBUTES) await api("PUT", `/settings/user_traits/${name}?type=${type}`);
  await api("PUT", "/settings/account_traits/industry?type=string");
  await waitForPosition(server, await send(server, entriesOf(server, hasEvents)));
  const users = await Promise.all(Array.from({ length: SHAPES }, (_, shape) => find(api, "user", externalId(shape))));
  const account = await find(api, "account", ACCOUNT_ID);
  const event = hasEvents ? await findEvent(api) : undefined;
  return {
    userIds: users.map(({ id }) => String(id)),
    accountId: String(account.id),
    eventId: event === undefined ? undefined : String(event.id),
    markers: {
      user: users.map((user, shape) => userMarkers(user, account, shape)),
      account: [accountMarkers(account)],
      event: [event ? eventMarkers(event, users[0] ?? {}, account) : []],
    },
  };
}

/** The events of a template, each once. The first template also has those whose names the server must know. */
function eventsOf(shape: number): string[] {
  return shape === 0 ? [EVENT, ...Array.from({ length: EVENT_NAMES }, (_, name) => `Event ${name}`)] : [EVENT];
}

const externalId = (shape: number) => `${EXTERNAL_ID}-${shape}-`;

type Report = Record<string, unknown>;

function userMarkers(user: Report, account: Report, shape: number): Marker[] {
  return [
    { text: String(user.id), sql: "the_id" },
    { text: String(account.id), sql: "the_account_id" },
    { text: externalId(shape), sql: "the_external_id" },
    {
      text: eventsOf(shape)
        .map((event) => `${JSON.stringify(event)}:1`)
        .join(","),
      sql: "event_counts",
    },
    ...timeMarkers([user.created_at, user.updated_at, user.first_seen_at, user.last_seen_at], "created"),
    ...ATTRIBUTES.flatMap((attribute): Marker[] => {
      const value = templateValue(attribute, shape);
      if (value === undefined || typeof value === "boolean") return [];
      const sql = `v_${attribute.name}`;
      if (attribute.value !== "day") return [{ text: String(value), sql }];
      return [
        { text: String(value), sql: `iso_${attribute.name}` },
        { text: String(Date.parse(String(value))), sql },
      ];
    }),
  ];
}

function accountMarkers(account: Report): Marker[] {
  return [
    { text: String(account.id), sql: "the_id" },
    { text: ACCOUNT_ID, sql: "the_external_id" },
    { text: INDUSTRY, sql: "industry" },
    ...timeMarkers([account.created_at, account.updated_at], "created"),
  ];
}

function eventMarkers(event: Report, user: Report, account: Report): Marker[] {
  return [
    { text: String(event.id), sql: "the_event_id" },
    { text: EVENT_ID, sql: "the_event_id" },
    { text: String(user.id), sql: "the_id" },
    { text: String(account.id), sql: "the_account_id" },
    { text: EVENT, sql: "event_name" },
    { text: PATH, sql: "path" },
    { text: String(AMOUNT), sql: "amount" },
    ...timeMarkers([event.created_at], "event"),
  ];
}

/** Times as ISO text and in milliseconds. */
function timeMarkers(times: readonly unknown[], name: string): Marker[] {
  const known = new Set(times.filter((time) => typeof time === "string"));
  return [...known].flatMap((time) => [
    { text: time, sql: `${name}_iso` },
    { text: String(Date.parse(time)), sql: `${name}_ms` },
  ]);
}

function entriesOf({ connectorId, secret }: RunningServer, hasEvents: boolean): object[] {
  const issued = { iss: connectorId, iat: Math.floor(Date.now() / 1_000) };
  const asAccount = { "io.svc.asAccount": { external_id: ACCOUNT_ID } };
  const entry = (type: string, timestamp: string, claims: object, body: object) => {
    const token = signToken({ ...issued, ...claims }, secret);
    return { type, timestamp, headers: { "Svc-Access-Token": token }, body };
  };
  const account = { "io.svc.subjectType": "account", ...asAccount };
  const entries = [entry("traits", CREATED_AT, account, { industry: INDUSTRY })];
  for (let shape = 0; shape < SHAPES; shape++) {
    const email = `${externalId(shape)}@example.com`;
    const asUser = { "io.svc.asUser": { external_id: externalId(shape), email } };
    const claims = { "io.svc.subjectType": "user", ...asUser, ...asAccount };
    const traits = ATTRIBUTES.map((attribute) => [attribute.name, templateValue(attribute, shape)] as const);
    entries.push(
      entry("traits", CREATED_AT, claims, Object.fromEntries(traits.filter(([, value]) => value !== undefined))),
    );
    if (!hasEvents) continue;
    const track = (event: string, more: object) =>
      entries.push(entry("track", EVENT_AT, { "io.svc.subjectType": "user", ...asUser }, { event, ip: "0", ...more }));
    const [first, ...others] = eventsOf(shape);
    if (first !== undefined)
      track(first, shape === 0 ? { event_id: EVENT_ID, properties: { path: PATH, amount: AMOUNT } } : {});
    for (const event of others) track(event, { properties: { path: "/", amount: 1 } });
  }
  return entries;
}

async function send({ url, connectorId, secret }: RunningServer, batch: object[]): Promise<string> {
  const now = new Date().toISOString();
  const answer = await fetch(`${url}/firehose`, {
    method: "POST",
    headers: { "content-type": "application/json", "svc-app-id": connectorId, "svc-access-token": secret },
    body: JSON.stringify({ timestamp: now, sentAt: now, batch }),
  });
  const receipt = (await answer.json()) as { position?: string };
  if (receipt.position === undefined) throw new Error(`The templates were answered with ${JSON.stringify(receipt)}.`);
  return receipt.position;
}

async function find(api: Api, subjectType: "user" | "account", external_id: string): Promise<Report> {
  const answer = await api("POST", `/search/${subjectType}_reports`, { query: { term: { external_id } } });
  const { data } = (await answer.json()) as { data: Report[] };
  if (!data[0]) throw new Error(`The template ${external_id} was not stored.`);
  return data[0];
}

async function findEvent(api: Api): Promise<Report> {
  const answer = await api("POST", "/search/events", { query: { term: { event_id: EVENT_ID } } });
  const { data } = (await answer.json()) as { data: Report[] };
  if (!data[0]) throw new Error("The template event was not stored.");
  return data[0];
}
