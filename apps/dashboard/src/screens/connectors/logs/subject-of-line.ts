/** The user or account that a log line is about, as the client libraries note it. */
export interface LineSubject {
  kind: "user" | "account";
  /** Its id, e-mail address, domain or external id. */
  name: string;
  /** Undefined when the line names another identifier. */
  id: string | undefined;
}

export function subjectOfLine(data: Record<string, unknown>): LineSubject | undefined {
  const context = typeof data.context === "object" && data.context !== null ? data.context : {};
  const all = { ...data, ...context } as Record<string, unknown>;
  for (const kind of ["user", "account"] as const) {
    const names = [all[`${kind}_email`], all[`${kind}_domain`], all[`${kind}_external_id`], all[`${kind}_id`]];
    const name = names.find((one) => typeof one === "string" && one !== "");
    if (name === undefined) continue;
    const id = all[`${kind}_id`];
    return { kind, name: String(name), id: typeof id === "string" ? id : undefined };
  }
  return undefined;
}
