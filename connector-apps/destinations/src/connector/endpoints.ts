import { ClientError, type Context, type IncomingRequest, reply } from "@muster/connector";
import { type EventRecord, isObject, nonEmptyText, type UserUpdateMessage } from "@muster/protocol";
import { audienceKeys } from "../events/audience-keys.js";
import type { OutgoingEvent } from "../events/outgoing-event.js";
import { userEvents } from "../events/user-events.js";
import { SETTING } from "../manifest/setting-names.js";
import { readMappings } from "../mapping/read-mappings.js";
import { defaultsOf, startingTrigger } from "../mapping/starting-mappings.js";
import type { DestinationRecord } from "../record/destination-record.js";
import type { Payload } from "../thread/calls.js";
import { DestinationFailure, DestinationStopped } from "../thread/destination-threads.js";
import type { DestinationHost } from "./destination-host.js";
import { accountSoFar, readAudienceSettings } from "./read-account.js";

const SHOWN_EVENTS = 5;

/** What the tab Mapping asks. */
export function destinationEndpoints(host: DestinationHost, record: DestinationRecord) {
  return {
    /** The actions with their fields, and with the values that a new mapping begins with. */
    form: () => ({
      actions: record.actions.map((action) => ({
        ...action,
        trigger: startingTrigger(record, action),
        startingFields: defaultsOf(action),
      })),
      title: record.title,
      hasAudience: record.audience !== undefined,
    }),

    /** The payloads that mappings would make of a real user, without sending them. */
    preview: (ctx: Context, request: IncomingRequest) =>
      answered(async () => {
        const body = isObject(request.body) ? request.body : {};
        const mappings = readMappings(body.mappings);
        const user = nonEmptyText(body.user);
        const events = await eventsOfUser(ctx, record, user);
        const payloads: Payload[] = await host.threads.call(record.name, "preview", {
          account: { connectorId: ctx.connector.id },
          mappings,
          events,
        });
        return { payloads, events };
      }),

    /** The values that the service offers for a field. */
    choices: (ctx: Context, request: IncomingRequest) =>
      answered(async () => {
        const body = isObject(request.body) ? request.body : {};
        const { action, field, fields, search } = body;
        if (typeof action !== "string" || typeof field !== "string")
          return reply(400, { message: "Name an action and a field." });
        return host.threads.call(record.name, "choices", {
          account: accountSoFar(ctx.connector, record),
          action,
          field,
          fields: isObject(fields) ? fields : {},
          search: nonEmptyText(search) ?? "",
        });
      }),
  };
}

/** A destination that fails here has a message for the person who asked. */
async function answered(work: () => Promise<unknown>): Promise<unknown> {
  try {
    return await work();
  } catch (error) {
    const isForPeople =
      error instanceof DestinationFailure || error instanceof DestinationStopped || error instanceof ClientError;
    if (isForPeople) return reply(422, { message: error.message });
    throw error;
  }
}

/** The events of an export of a user, and the user's last events. */
async function eventsOfUser(
  ctx: Context,
  record: DestinationRecord,
  user: string | undefined,
): Promise<OutgoingEvent[]> {
  const query = user === undefined ? {} : { entity_id: user };
  const sample = await ctx.client.get<{ entity_id: string; message: UserUpdateMessage }>(
    `/${ctx.connector.id}/delivery/sample`,
    query,
  );
  const { data } = await ctx.client.post<{ data: EventRecord[] }>("/search/events", {
    query: { term: { user_id: sample.entity_id } },
    per_page: SHOWN_EVENTS,
  });
  const chosen: unknown[] = [ctx.connector.private_settings[SETTING.segments]].flat();
  const keys = audienceKeys(ctx.segments);
  const audiences = new Map(
    ctx.segments.flatMap(({ id }) =>
      chosen.includes(id) ? [[id, { segmentId: id, key: keys.get(id) ?? id }] as const] : [],
    ),
  );
  return userEvents(
    { ...sample.message, events: data },
    { audiences, audienceSettings: readAudienceSettings(ctx.connector, record), isBatch: true, now: new Date() },
  );
}
