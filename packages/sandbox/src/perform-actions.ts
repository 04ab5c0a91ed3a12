import { type Client, ClientError, type UserClient } from "@muster/client";
import type { SandboxAction, SandboxSubject } from "./script-run.js";

export interface PerformedActions {
  accepted: number;
  /** For each action that Muster refused, a sentence that says why. */
  refused: string[];
}

/**
 * Performs the actions of a script; those without a subject are about `own`. Reports the actions that Muster
 * refuses. Rejects when Muster cannot be reached; all actions may then be performed again.
 */
export async function performActions(
  client: Client,
  actions: readonly SandboxAction[],
  own: SandboxSubject = {},
): Promise<PerformedActions> {
  const outcomes = await Promise.allSettled(actions.map((action) => perform(client, action, own)));
  const failures = outcomes.flatMap((outcome): unknown[] => (outcome.status === "rejected" ? [outcome.reason] : []));
  const outage = failures.find((error) => !isRefusal(error));
  if (outage) throw outage;
  return { accepted: outcomes.length - failures.length, refused: failures.map((error) => (error as Error).message) };
}

async function perform(client: Client, action: SandboxAction, own: SandboxSubject): Promise<unknown> {
  const { user, account } = action.subject.user || action.subject.account ? action.subject : own;
  const scoped = user ? asUser(client, user, account) : client.asAccount(account ?? {});
  switch (action.kind) {
    case "traits":
      return scoped.traits(action.attributes);
    case "alias":
      return scoped.alias(action.body);
    case "unalias":
      return scoped.unalias(action.body);
    case "track":
      if (!("track" in scoped)) throw new ClientError("invalid_argument", "Events belong to users, not to accounts.");
      return scoped.track(action.event, action.properties, action.context);
  }
}

function asUser(client: Client, user: Record<string, string>, account: Record<string, string> | undefined): UserClient {
  const scoped = client.asUser(user);
  return account ? scoped.account(account) : scoped;
}

const OUTAGES = new Set(["timeout", "connection_failed", "queue_full", "unexpected_answer"]);

function isRefusal(error: unknown): boolean {
  return error instanceof ClientError && !OUTAGES.has(error.code) && (error.status ?? 400) < 500;
}
