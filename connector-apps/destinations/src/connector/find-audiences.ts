import type { Context } from "@muster/connector";
import { isObject, nonEmptyText } from "@muster/protocol";
import type { Audience } from "../events/outgoing-event.js";
import { audienceKey } from "../events/user-events.js";
import { SETTING } from "../manifest/setting-names.js";
import type { DestinationRecord } from "../record/destination-record.js";
import type { Account } from "../thread/calls.js";
import { DestinationFailure } from "../thread/destination-threads.js";
import { isPending } from "../thread/outcome.js";
import type { DestinationHost } from "./destination-host.js";
import { readAudienceSettings } from "./read-account.js";
import { throwPending } from "./throw-pending.js";

/** Audiences that are being made, by connector and segment: concurrent calls must not make two. */
const making = new Map<string, Promise<string>>();

/**
 * The segments that the settings choose by their id, each with its audience at the service. The service is asked to make an
 * audience once; its id is kept in the settings.
 */
export async function findAudiences(
  ctx: Context,
  host: DestinationHost,
  record: DestinationRecord,
  account: Account,
): Promise<ReadonlyMap<string, Audience>> {
  const { private_settings: stored } = ctx.connector;
  const chosen: unknown[] = [stored[SETTING.segments]].flat();
  const audiences = new Map<string, Audience>();
  for (const segment of ctx.segments) {
    if (!chosen.includes(segment.id)) continue;
    const externalId = record.audience?.isCreated ? await audienceOf(ctx, host, record, account, segment) : undefined;
    audiences.set(segment.id, { segmentId: segment.id, externalId });
  }
  return audiences;
}

async function audienceOf(
  ctx: Context,
  host: DestinationHost,
  record: DestinationRecord,
  account: Account,
  { id: segmentId, name }: { id: string; name: string },
): Promise<string> {
  const known = nonEmptyText(knownIds(ctx)[segmentId]);
  if (known !== undefined) return known;
  const key = `${ctx.connector.id}:${segmentId}`;
  const running = making.get(key);
  if (running) return running;
  const request = {
    name,
    key: audienceKey(name),
    segmentId,
    audienceSettings: readAudienceSettings(ctx.connector, record),
  };
  const made = host.threads.call(record.name, "ensureAudience", { account, request }).then(async ({ externalId }) => {
    await ctx.helpers.updateSettings({ [SETTING.audienceIds]: { ...knownIds(ctx), [segmentId]: externalId } });
    return externalId;
  });
  making.set(key, made);
  try {
    return await made;
  } catch (error) {
    if (!(error instanceof DestinationFailure)) throw error;
    const outcome = { ...error.outcome, reason: `The service has made no audience for "${name}": ${error.message}` };
    // Messages wait when the service refuses the audience: they are not to blame.
    await throwPending(ctx, isPending(outcome) ? outcome : { ...outcome, kind: "settings" });
    throw error;
  } finally {
    making.delete(key);
  }
}

function knownIds({ connector }: Context): Record<string, unknown> {
  const ids = connector.private_settings[SETTING.audienceIds];
  return isObject(ids) ? ids : {};
}
