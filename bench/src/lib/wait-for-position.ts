import type { BatchReceiver } from "./post-batch.js";

/** Waits without a limit until everything up to a position is searchable and its segments are evaluated. */
export async function waitForPosition(
  { url, connectorId, secret, organization = "default" }: BatchReceiver,
  position: string,
): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/api/v1/app`, {
      headers: {
        "svc-organization": organization,
        "svc-app-id": connectorId,
        "svc-access-token": secret,
        "svc-wait-for": position,
      },
    });
    await answer.arrayBuffer();
    if (answer.status === 200) return;
    if (answer.status !== 504) throw new Error(`Waiting for ${position} answered ${answer.status}.`);
  }
}
