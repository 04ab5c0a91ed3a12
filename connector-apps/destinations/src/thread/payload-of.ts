import type { OutgoingEvent } from "../events/outgoing-event.js";
import type { Mapping } from "../mapping/mapping.js";
import { SYNC_MODE, startingSyncMode } from "../mapping/sync-mode.js";
import type { Core, Definition, RunnableDestination } from "../package/definition.js";

export interface MappedPayload {
  payload: Record<string, unknown>;
  problem?: string;
  isIncomplete?: boolean;
}

/** What the package writes about a value that is missing. The second sentence comes with the first, for a condition that is not met. */
const MISSING = /is missing the required field|must match "then" schema/;

/** The payload that a mapping makes of an event, and what the destination's own schema says about it. Nothing is sent. */
export function payloadOf(
  core: Core,
  definition: Definition,
  destination: RunnableDestination,
  mapping: Mapping,
  event: OutgoingEvent,
): MappedPayload {
  const payload = withoutEmpty(core.transform(fieldsOf(mapping, definition), event));
  const schema = destination.actions[mapping.action]?.schema;
  if (!schema) return { payload };
  // The package changes what it validates, such as a number that is written as a text.
  const checked = structuredClone(payload);
  try {
    core.validateSchema(checked, schema, {
      // The package compiles a schema once for each key.
      schemaKey: `${definition.name}:${mapping.action}`,
      exempt: ["dynamicAuthSettings"],
    });
    return { payload: checked };
  } catch (error) {
    const problems = problemsOf(error);
    return { payload, problem: problems.join(" "), isIncomplete: problems.every((problem) => MISSING.test(problem)) };
  }
}

/** The fields of a mapping as the package takes them. An action with a sync mode needs one. */
export function fieldsOf({ action, fields }: Mapping, { actions }: Definition): Record<string, unknown> {
  const mode = actions[action]?.syncMode;
  return mode === undefined ? fields : { [SYNC_MODE]: startingSyncMode(mode), ...fields };
}

function withoutEmpty(payload: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payload).filter(
      ([key, value]) => value !== null && value !== undefined && value !== "" && !key.startsWith("__segment_internal_"),
    ),
  );
}

function problemsOf(error: unknown): string[] {
  const { message, errors } = error as { message?: string; errors?: Iterable<{ message?: string }> };
  const each = [...(errors ?? [])].flatMap(({ message: text }) => (text ? [text] : []));
  return each.length > 0 ? each : [message ?? "The destination does not take this payload."];
}
