import { createHash } from "node:crypto";
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
  // One organization has one spelling, so that caches and locks do not take it for two.
  return id && organization && secret ? { id, organization: organization.toLowerCase(), secret } : undefined;
}

/** A digest that stands for the credentials where they must not be stored. */
export function digestOf({ id, organization, secret }: Credentials): string {
  return createHash("sha256")
    .update(JSON.stringify([organization, id, secret]))
    .digest("base64url");
}
