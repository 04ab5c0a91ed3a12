import { REFUSAL_STATUS, type RefusalCode } from "@muster/protocol";

/** What each refusal means and what the caller can do: for the reference page, the OpenAPI document and docs/errors.md. */
const REFUSAL_MEANINGS: Record<RefusalCode, string> = {
  bad_request: "The request cannot be understood. The message says why.",
  malformed_json: "The body is not valid JSON.",
  missing_parameters: "Required parameters are missing; `details` names every one of them.",
  invalid_parameter: "A parameter has the wrong type or a value that is not possible; `details` says which and why.",
  invalid_query: "The search query cannot be read; `details` gives the path in the query and what was expected there.",
  batch_refused: "No entry of the batch was accepted; every entry has its own verdict in the answer.",
  unauthorized: "Credentials are missing or wrong, or the organization is unknown.",
  invalid_token: "The token is not authentic, not valid now, or lacks a required claim.",
  organization_disabled: "The organization was disabled by the operator of the server.",
  forbidden: "The credentials are good but may not do this.",
  not_found: "There is no such object or path.",
  method_not_allowed: "The path exists but not with this method; the `Allow` header lists those it has.",
  request_timeout: "The request took too long to arrive.",
  conflict: "It contradicts something that is already there.",
  payload_too_large: "The body is larger than the server accepts: send less at once.",
  uri_too_long: "A part of the path is too long.",
  unsupported_media_type: "The body must be `application/json`.",
  too_many_requests: "Too many failed authentications: wait for the seconds in `Retry-After`.",
  headers_too_large: "The request headers are larger than the server accepts.",
  internal: "Our mistake. The log has a line with the id of the `X-Request-Id` header.",
  unavailable: "The server cannot do this now: try again after the seconds in `Retry-After`.",
  question_timeout:
    "The question took longer than this server lets one take: ask a narrower one, or schedule an extract.",
  wait_timeout: "The write that the request waits for did not become visible in time; it is not lost, ask again.",
};

interface RefusalLine {
  code: RefusalCode;
  status: number;
  meaning: string;
}

/** The closed list, by status. */
export function listRefusals(): RefusalLine[] {
  const codes = Object.keys(REFUSAL_STATUS) as RefusalCode[];
  return codes.map((code) => ({ code, status: REFUSAL_STATUS[code], meaning: REFUSAL_MEANINGS[code] }));
}
