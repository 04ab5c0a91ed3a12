import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";

/** Announces a large body and sends none of it. Returns the status of the answer, which comes only if nobody waits for the body. */
export async function sendHead(url: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  const sent = request(url, {
    method: "POST",
    headers: { "content-type": "application/json", "content-length": "5000000", ...headers },
    signal: AbortSignal.timeout(10_000),
  });
  sent.flushHeaders();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  sent.on("error", () => {});
  sent.destroy();
  return answer.statusCode;
}
