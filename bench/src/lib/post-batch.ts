import { type Agent, request } from "node:http";
import type { RunningServer } from "./start-server.js";

export interface BatchReceipt {
  status: number;
  /** The position of the batch; empty when it was not accepted. */
  position: string;
}

/** Where a batch goes: to the first organization, unless another one is named. */
export type BatchReceiver = Pick<RunningServer, "url" | "connectorId" | "secret"> & { organization?: string };

/** Posts a batch, as JSON text, to the gateway over one of the agent's connections. */
export function postBatch(
  agent: Agent,
  { url, connectorId, secret, organization = "default" }: BatchReceiver,
  body: string,
): Promise<BatchReceipt> {
  const headers = { "svc-organization": organization, "svc-app-id": connectorId, "svc-access-token": secret };
  return post(agent, `${url}/firehose`, headers, body);
}

/** Posts a batch of analytics calls. */
export function postCalls(
  agent: Agent,
  { url, writeKey }: { url: string; writeKey: string },
  body: string,
): Promise<BatchReceipt> {
  return post(agent, `${url}/v1/batch`, { authorization: `Basic ${btoa(`${writeKey}:`)}` }, body);
}

function post(agent: Agent, url: string, headers: Record<string, string>, body: string): Promise<BatchReceipt> {
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: "POST",
        agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          ...headers,
        },
      },
      (answer) => {
        answer.resume();
        answer.on("end", () =>
          resolve({ status: answer.statusCode ?? 0, position: String(answer.headers["svc-position"] ?? "") }),
        );
        answer.on("error", reject);
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}
