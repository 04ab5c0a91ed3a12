import http from "node:http";
import https from "node:https";

export interface FormAnswer {
  status: number;
  text: string;
}

const ANSWER_MS = 15_000;
/** Tokens are a few kilobytes. */
const MAX_BYTES = 256 * 1024;

/**
 * Posts a form to an address that a customer has given. It takes a connection of its own and not `fetch`, because the guard of the
 * process lets `fetch` reach this Muster. Redirects are not followed.
 */
export function postForm(address: string, fields: Readonly<Record<string, string>>): Promise<FormAnswer> {
  const url = new URL(address);
  const { request } = url.protocol === "https:" ? https : http;
  const body = new URLSearchParams(fields).toString();
  return new Promise((resolve, reject) => {
    const headers = {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      "content-length": Buffer.byteLength(body),
    };
    const signal = AbortSignal.timeout(ANSWER_MS);
    const call = request(url, { method: "POST", headers, agent: false, signal }, (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MAX_BYTES) response.destroy(new Error("The answer of the service is too large."));
        else chunks.push(chunk);
      });
      response.once("end", () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString("utf8") }),
      );
      response.once("error", reject);
    });
    call.once("error", reject);
    call.end(body);
  });
}
