import type { ServiceResponse } from "../package/definition.js";
import { hideInAddress, hideSecrets } from "./hide-secrets.js";

/** Muster keeps 2 kB of what a message is reported with. The answer is worth more than the request. */
const MAX_REQUEST = 700;
const MAX_ANSWER = 1_100;

/** A call of the service as people read it: method and address, body, and the answer. Headers are left out. */
export function describeExchange(
  { request, options, status, content, url }: ServiceResponse,
  secrets: readonly string[],
): string {
  const sent = typeof options?.body === "string" ? options.body : "";
  const head = `${request?.method ?? "GET"} ${hideInAddress(request?.url ?? url ?? "")}`;
  return [
    cut(hideSecrets(sent === "" ? head : `${head}\n${sent}`, secrets), MAX_REQUEST),
    cut(hideSecrets(`${status ?? ""} ${content ?? ""}`.trim(), secrets), MAX_ANSWER),
  ].join("\n\n");
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
