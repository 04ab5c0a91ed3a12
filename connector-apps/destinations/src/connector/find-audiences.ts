import { type Context, TransientError } from "@muster/connector";
import { isObject, nonEmptyText } from "@muster/protocol";
import { audienceKeys } from "../events/audience-keys.js";
import type { Audience } from "../events/outgoing-event.js";
import { SETTING } from "../manifest/setting-names.js";
import type { DestinationRecord } from "../record/destination-record.js";
import type { Account } from "../thread/calls.js";
import { DestinationFailure, DestinationStopped } from "../thread/destination-threads.js";
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
  const keys = audienceKeys(ctx.segments);
  for (const { id, name } of ctx.segments) {
    if (!chosen.includes(id)) continue;
    const segment = { id, name, key: keys.get(id) ?? id };
    const externalId = record.audience?.isCreated ? await audienceOf(ctx, host, record, account, segment) : undefined;
    audiences.set(id, { segmentId: id, key: segment.key, externalId });
  }
  return audiences;
}

async function audienceOf(
  ctx: Context,
  host: DestinationHost,
  record: DestinationRecord,
  account: Account,
  { id: segmentId, name, key: audienceKey }: { id: string; name: string; key: string },
): Promise<string> {
  const known = nonEmptyText(knownIds(ctx)[segmentId]);
  if (known !== undefined) return known;
  const key = `${ctx.connector.id}:${segmentId}`;
  const running = making.get(key);
  if (running) return running;
  const request = {
    name,
    key: audienceKey,
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
    // Messages that wait for the audience are not to blame.
    if (error instanceof DestinationStopped) throw new TransientError(error.message);
    if (!(error instanceof DestinationFailure)) throw error;
    const outcome = { ...error.outcome, reason: `The service has made no audience for "${name}": ${error.message}` };
    // They also wait when the service refuses the audience.
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
