/** Whether a text has the actions and logs of a script. A `toJSON` of the script can put anything in place of its arguments. */
export function areResults(text: string): boolean {
  // The functions of the script could not return them.
  if (text === "") return false;
  const { actions, logs } = JSON.parse(text) as { actions: unknown[]; logs: unknown[] };
  return actions.every(isAction) && logs.every((line) => typeof line === "string");
}

function isAction(action: unknown): boolean {
  if (!isObject(action) || !isObject(action.subject)) return false;
  const { user, account } = action.subject;
  if (!Object.keys(action.subject).every((name) => name === "user" || name === "account")) return false;
  if (![user, account].every((claims) => claims === undefined || isObject(claims))) return false;
  switch (action.kind) {
    case "traits":
      return isObject(action.attributes);
    case "track":
      return typeof action.event === "string" && isObject(action.properties) && isObject(action.context);
    case "alias":
    case "unalias":
      return isObject(action.body);
    default:
      return false;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
