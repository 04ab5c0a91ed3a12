import { isObject } from "@muster/protocol";

/** The connector and organization that a call is about, and the secret that proves it. */
export interface Credentials {
  readonly id: string;
  readonly organization: string;
  readonly secret: string;
}

/** The credentials in a query string, where Muster puts them for pages, schedules and single notifications. */
export function credentialsFromQuery(query: Readonly<Record<string, unknown>>): Credentials | undefined {
  return readCredentials({ ...query, id: query.id ?? query.ship });
}

/** The credentials in the `configuration` of a notification. */
export function credentialsFromNotification(body: unknown): Credentials | undefined {
  return isObject(body) ? readCredentials(body.configuration) : undefined;
}

function readCredentials(given: unknown): Credentials | undefined {
  if (!isObject(given)) return undefined;
  const [id, organization, secret] = [given.id, given.organization, given.secret].map((value) =>
    typeof value === "string" ? value.trim() : "",
  );
  return id && organization && secret ? { id, organization, secret } : undefined;
}
