import { SEGMENTS_CHANGED, type SegmentRecord, type UserUpdateMessage } from "@muster/protocol";
import type { Audience, OutgoingEvent } from "./outgoing-event.js";
import { traitsOf } from "./traits.js";

export interface EventSettings {
  /** The segments that the settings choose by their id, with their audiences. */
  audiences: ReadonlyMap<string, Audience>;
  /** The settings of audiences. */
  audienceSettings: Readonly<Record<string, unknown>>;
  /** Everything is sent, as in an export. */
  isBatch: boolean;
  now: Date;
}

/** Page and screen views are events of Muster with these names. */
const VIEWS: Readonly<Record<string, "page" | "screen">> = { "Page viewed": "page", "Screen viewed": "screen" };

/** The events that a message about a user becomes, in the order in which they are sent. */
export function userEvents(message: UserUpdateMessage, settings: EventSettings): OutgoingEvent[] {
  const { user, account, events, changes, matchesFilter, segments } = message;
  const person = personOf(message, settings);
  const said: OutgoingEvent[] = [];
  const isNew = settings.isBatch || changes.is_new;
  if (matchesFilter && (isNew || Object.keys(changes.user).length > 0)) {
    said.push({ ...person, type: "identify", messageId: `${message.message_id}:identify`, traits: traitsOf(user) });
  }
  if (matchesFilter && typeof account.id === "string" && (isNew || Object.keys(changes.account).length > 0)) {
    said.push({
      ...person,
      type: "group",
      messageId: `${message.message_id}:group`,
      groupId: groupIdOf(account),
      traits: traitsOf(account),
    });
  }
  if (matchesFilter) {
    for (const event of events) {
      if (event.event_type !== SEGMENTS_CHANGED.type) said.push(eventOf(event, person));
    }
  }
  const entered = settings.isBatch ? segments : changes.segments.entered;
  for (const segment of entered) said.push(...membership(message, segment, true, person, settings));
  for (const segment of changes.segments.left) said.push(...membership(message, segment, false, person, settings));
  return said;
}

export function groupIdOf(account: Readonly<Record<string, unknown>>): string {
  return String(account.external_id ?? account.id);
}

type Person = Pick<
  OutgoingEvent,
  "userId" | "anonymousId" | "context" | "timestamp" | "sentAt" | "receivedAt" | "integrations"
>;

function personOf({ user, account }: UserUpdateMessage, { now }: EventSettings): Person {
  const anonymous = Array.isArray(user.anonymous_ids) ? user.anonymous_ids.at(-1) : undefined;
  const time = now.toISOString();
  return {
    userId: typeof user.external_id === "string" ? user.external_id : user.id,
    ...(typeof anonymous === "string" ? { anonymousId: anonymous } : {}),
    timestamp: time,
    sentAt: time,
    receivedAt: time,
    integrations: {},
    context: {
      traits: traitsOf(user),
      ...(typeof account.id === "string" ? { groupId: groupIdOf(account) } : {}),
    },
  };
}

function eventOf(event: UserUpdateMessage["events"][number], person: Person): OutgoingEvent {
  const { event: name, event_id, created_at, properties, context, anonymous_id } = event;
  const view = VIEWS[name];
  const { name: title, category } = properties;
  return {
    ...person,
    ...(anonymous_id === null ? {} : { anonymousId: anonymous_id }),
    type: view ?? "track",
    messageId: event_id,
    timestamp: created_at,
    ...(view
      ? {
          ...(typeof title === "string" ? { name: title } : {}),
          ...(typeof category === "string" ? { category } : {}),
        }
      : { event: name }),
    properties,
    context: { ...context, ...person.context },
  };
}

/**
 * What audiences are told: the event that Segment's Engage sends. Its traits are those of the user, because some mappings look
 * there. Only segments that somebody chose by their name are told of, as a service makes an audience for each.
 */
function membership(
  { message_id, user }: UserUpdateMessage,
  segment: SegmentRecord,
  isMember: boolean,
  person: Person,
  { audiences, audienceSettings }: EventSettings,
): OutgoingEvent[] {
  const audience = audiences.get(segment.id);
  if (!audience) return [];
  const { key } = audience;
  const personas = {
    computation_class: "audience",
    computation_id: segment.id,
    computation_key: key,
    namespace: "muster",
    space_id: "muster",
    ...(audience.externalId === undefined ? {} : { external_audience_id: audience.externalId }),
    audience_settings: audienceSettings,
  };
  const name = isMember ? "Audience Entered" : "Audience Exited";
  return [
    {
      ...person,
      type: "track",
      messageId: `${message_id}:${segment.id}:${isMember ? "entered" : "left"}`,
      event: name,
      properties: { audience_key: key, audience_name: segment.name, [key]: isMember, ...contactOf(user) },
      traits: { ...traitsOf(user), [key]: isMember },
      context: { ...person.context, personas },
    },
  ];
}

/** Some mappings look for the address among the properties. */
function contactOf({ email }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return typeof email === "string" ? { email } : {};
}
