import { type Client, ClientError } from "@muster/client";
import { isObject, type SegmentRecord } from "@muster/protocol";
import { type ConnectorCache, SEGMENTS_KEY } from "../cache/connector-cache.js";
import { type ConnectorRecord, readConnectorRecord } from "../connector-record.js";
import { RequestError } from "../errors/request-error.js";
import { TransientError } from "../errors/transient-error.js";
import type { Credentials } from "../trust/credentials.js";

export interface SegmentLists {
  users: SegmentRecord[];
  accounts: SegmentRecord[];
}

// Short enough for two attempts within the time that Muster waits for our answer.
const PLATFORM_CALL = { timeout: 5_000, retry: 500 };

/** The code of the error when Muster refuses the credentials because the connector is disabled. */
export const CONNECTOR_DISABLED = "connector_disabled";

/** The connector's record. Rejects when Muster does not accept the credentials. */
export function loadConnector(
  client: Client,
  cache: ConnectorCache,
  credentials: Credentials,
): Promise<ConnectorRecord> {
  return cache.wrap(credentials.id, () => fetchConnector(client, credentials));
}

async function fetchConnector(client: Client, { id, secret }: Credentials): Promise<ConnectorRecord> {
  const record = await client.get(`/${id}`, {}, PLATFORM_CALL).catch((error: unknown) => {
    throw describePlatformError(error);
  });
  // Muster also accepts tokens, but shows the secret only to the connector itself. This refuses a token given as secret.
  if (!isObject(record) || record.id !== id || record.secret !== secret) throw refusedCredentials();
  return readConnectorRecord(record, id);
}

export function loadSegments(client: Client, cache: ConnectorCache): Promise<SegmentLists> {
  return cache.wrap(SEGMENTS_KEY, async () => {
    try {
      const [users, accounts] = await Promise.all([
        client.get<SegmentRecord[]>("/users_segments", {}, PLATFORM_CALL),
        client.get<SegmentRecord[]>("/accounts_segments", {}, PLATFORM_CALL),
      ]);
      return { users, accounts };
    } catch (error) {
      throw describePlatformError(error);
    }
  });
}

/** Refused credentials are an error of the caller. Any other failure means that Muster is unavailable. */
function describePlatformError(error: unknown): Error {
  const status = error instanceof ClientError ? error.status : undefined;
  if (error instanceof ClientError && error.code === CONNECTOR_DISABLED) {
    return new RequestError(403, CONNECTOR_DISABLED, "The connector is disabled.");
  }
  if (status === 402) return new RequestError(402, "organization_disabled", "The organization is disabled.");
  if (status === 404) return new RequestError(404, "connector_not_found", "The connector does not exist.");
  if (status === 401 || status === 403) return refusedCredentials();
  return new TransientError("Muster cannot be asked about the connector.", { cause: error });
}

function refusedCredentials(): RequestError {
  return new RequestError(401, "invalid_credentials", "Muster does not accept the credentials.");
}
