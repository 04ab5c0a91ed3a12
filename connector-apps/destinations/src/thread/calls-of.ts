import type { Mapping } from "../mapping/mapping.js";
import type { OAuthTokens } from "../package/definition.js";
import type { CallTime } from "./call-time.js";
import type { ThreadCalls } from "./calls.js";
import { deliverItems } from "./deliver-items.js";
import type { DestinationRunner } from "./destination-runner.js";
import { hideInReason } from "./hide-secrets.js";
import type { MappedPayload } from "./payload-of.js";

type Calls = {
  [Name in keyof ThreadCalls]: (
    input: ThreadCalls[Name]["input"],
    time: CallTime,
  ) => Promise<ThreadCalls[Name]["output"]>;
};

/** What a thread does for the process of the destinations. */
export function callsOf(runner: DestinationRunner): Calls {
  return {
    deliver: (input, time) => deliverItems(runner, input, time),

    preview: async ({ mappings, events }) =>
      mappings.flatMap((mapping) =>
        events.map((event) => ({
          mapping: mapping.id,
          action: mapping.action,
          event: event.event ?? event.type,
          isTriggered: runner.isTriggered(mapping, event),
          ...tryPayload(runner, mapping, event),
        })),
      ),

    testAuthentication: async ({ account }) => {
      const { destination, settings } = runner.open(account);
      try {
        await destination.testAuthentication(settings);
        return {};
      } catch (error) {
        return { problem: hideInReason((error as Error).message, account.secrets) };
      }
    },

    choices: async ({ account, action, field, fields, search }) => {
      const { destination, settings } = runner.open(account);
      const { oauth, ...others } = settings as { oauth?: OAuthTokens };
      const answer = await destination.executeDynamicField(action, field, {
        settings: others,
        payload: fields,
        auth: { accessToken: oauth?.access_token, refreshToken: oauth?.refresh_token },
        ...(search === "" ? {} : { dynamicFieldContext: { query: search } }),
      });
      const { choices = [], error } = "choices" in answer ? answer : {};
      return {
        options: choices.map(({ value, label }) => ({ value, label: label ?? String(value) })),
        ...(error?.message ? { problem: hideInReason(error.message, account.secrets) } : {}),
      };
    },

    ensureAudience: async ({ account, request: { name, key, segmentId, audienceSettings } }) => {
      const { destination, settings } = runner.open(account);
      const personas = {
        computation_id: segmentId,
        computation_key: key,
        computation_class: "audience",
        namespace: "muster",
      };
      const { externalId } = await destination.createAudience({
        settings,
        audienceSettings,
        audienceName: name,
        personas,
      });
      if (!runner.definition.audienceConfig?.getAudience) return { externalId };
      const found = await destination.getAudience({ settings, audienceSettings, externalId });
      return { externalId: String(found.externalId ?? externalId) };
    },
  };
}

/** A mapping that somebody is writing may be no mapping yet. */
function tryPayload(
  runner: DestinationRunner,
  mapping: Mapping,
  event: Parameters<DestinationRunner["payload"]>[1],
): Partial<MappedPayload> {
  if (mapping.trigger.trim() === "") return { problem: "Nothing says when it runs." };
  const { error } = runner.triggers.parseFql(mapping.trigger);
  if (error) return { problem: `The trigger cannot be read: ${error.message}` };
  if (!runner.definition.actions[mapping.action]) return { problem: `There is no action "${mapping.action}".` };
  try {
    return runner.payload(mapping, event);
  } catch (failure) {
    return { problem: (failure as Error).message };
  }
}
