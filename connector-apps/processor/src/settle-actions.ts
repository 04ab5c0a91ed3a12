import { isDeepStrictEqual } from "node:util";
import type { SandboxAction } from "@muster/sandbox";
import type { ScriptSubject } from "./subject.js";

/** The source of events that this connector records. It recognizes its own events by it. */
export const EVENT_SOURCE = "processor";

export interface SettledActions {
  actions: SandboxAction[];
  /** Names of the attributes that are set on the subject of the script. */
  written: string[];
  problems: string[];
}

/**
 * The actions that are to be performed: without attributes that already have their value, and with ids for events, so that
 * a repeated message does not record them twice.
 */
export function settleActions(
  subject: ScriptSubject,
  asked: readonly SandboxAction[],
  messageId: string,
): SettledActions {
  const actions: SandboxAction[] = [];
  const written = new Set<string>();
  const problems: string[] = [];
  for (const [index, action] of asked.entries()) {
    if (action.kind === "track") {
      const context = { source: EVENT_SOURCE, event_id: `${messageId}:${index}`, ...action.context };
      actions.push({ ...action, context });
    } else if (action.kind !== "traits" || !isOwn(action)) {
      actions.push(action);
    } else {
      const { attributes, refused } = settleAttributes(subject, action.attributes);
      problems.push(...refused);
      for (const name of Object.keys(attributes)) written.add(name);
      if (Object.keys(attributes).length > 0) actions.push({ ...action, attributes });
    }
  }
  return { actions, written: [...written], problems };
}

function isOwn({ subject }: SandboxAction): boolean {
  return !subject.user && !subject.account;
}

function settleAttributes(
  { attributes: present }: ScriptSubject,
  asked: Readonly<Record<string, unknown>>,
): { attributes: Record<string, unknown>; refused: string[] } {
  const attributes: Record<string, unknown> = {};
  const refused: string[] = [];
  for (const [name, value] of Object.entries(asked)) {
    if (isCounting(value))
      refused.push(`"${name}" cannot be incremented or decremented here: every change runs the script again.`);
    else if (!isDeepStrictEqual(value ?? null, present[name] ?? null)) attributes[name] = value;
  }
  return { attributes, refused };
}

function isCounting(value: unknown): boolean {
  const { operation } = (value ?? {}) as { operation?: unknown };
  return typeof operation === "string" && /^(inc|dec)/.test(operation);
}
