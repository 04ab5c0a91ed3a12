import type { ScriptAction } from "../../../api/connectors/use-processor.js";

/** What an action would do, as a sentence. */
export function actionSentence(action: ScriptAction): string {
  const { kind, subject, attributes = {}, event = "", properties = {}, body = {} } = action;
  const whom = subjectName(subject);
  switch (kind) {
    case "track":
      return `Record the event "${event}"${whom === "" ? "" : ` of ${whom}`}${withValues(properties)}`;
    case "traits":
      return `Set${whom === "" ? "" : ` for ${whom}`}: ${listed(attributes)}`;
    case "alias":
      return `Add to ${whom || "it"}: ${listed(body)}`;
    case "unalias":
      return `Remove from ${whom || "it"}: ${listed(body)}`;
  }
}

/** A value as people read it: texts in quotation marks, and a word for what is not set. */
export function showValue(value: unknown): string {
  return value === null || value === undefined ? "not set" : JSON.stringify(value);
}

function subjectName({ user, account }: ScriptAction["subject"]): string {
  const parts = [
    ...(user ? [`the user with ${listed(user)}`] : []),
    ...(account ? [`the account with ${listed(account)}`] : []),
  ];
  return parts.join(" and ");
}

function withValues(values: Record<string, unknown>): string {
  return Object.keys(values).length === 0 ? "" : ` with ${listed(values)}`;
}

function listed(values: Record<string, unknown>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} = ${showValue(value)}`)
    .join(", ");
}
