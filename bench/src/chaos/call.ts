import { type Agent, request } from "node:http";

export interface Answer {
  status: number;
  body: string;
  position: string;
}

const TIMEOUT_MS = 10_000;

/** One request to the server, over a connection of the agent. Rejects when no answer comes within ten seconds. */
export function call(
  agent: Agent,
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string },
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent,
        headers:
          body === undefined
            ? headers
            : { ...headers, "content-type": "application/json", "content-length": Buffer.byteLength(body) },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      },
      (answer) => {
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        answer.on("end", () => {
          const position = String(answer.headers["svc-position"] ?? "");
          resolve({ status: answer.statusCode ?? 0, body: text, position });
        });
        answer.on("error", reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
