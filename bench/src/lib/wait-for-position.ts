import type { RunningServer } from "./start-server.js";

/** Waits, however long it takes, until what was written at a position is searchable and its segments are true. */
export async function waitForPosition(
  { url, connectorId, secret }: Pick<RunningServer, "url" | "connectorId" | "secret">,
  position: string,
): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/v1/app`, {
      headers: { "svc-app-id": connectorId, "svc-access-token": secret, "svc-wait-for": position },
    });
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    if (answer.status !== 504) throw new Error(`Waiting for ${position} answered ${answer.status}.`);
  }
}
