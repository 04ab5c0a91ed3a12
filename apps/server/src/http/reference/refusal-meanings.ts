import { REFUSAL_STATUS, type RefusalCode } from "@muster/protocol";

/** What each refusal means and what the caller can do: for the reference page, the OpenAPI document and docs/errors.md. */
const REFUSAL_MEANINGS: Record<RefusalCode, string> = {
  bad_request: "The request cannot be understood. The message says why.",
  malformed_json: "The body is not valid JSON. The message has the line and the column.",
  missing_parameters: "Required parameters are missing; `details` names all of them.",
  invalid_parameter: "A parameter has a wrong type or a wrong value; `details` says which parameter and why.",
  invalid_query: "The search query is not valid; `details` has the path in the query and what was expected there.",
  batch_refused: "No entry of the batch was accepted; the answer has a verdict for every entry.",
  unauthorized: "Credentials are missing or wrong, or the organization is unknown.",
  invalid_token: "The token has a wrong signature, has expired or is not valid yet, or lacks a required claim.",
  organization_disabled: "The operator of the server has disabled the organization.",
  forbidden: "The credentials are right but do not allow this.",
  connector_disabled:
    "The operator has disabled the connector; its secret, its tokens and its files work again once it is enabled.",
  not_found: "The object or the path does not exist.",
  method_not_allowed: "The path exists, but not with this method; the `Allow` header lists the methods it has.",
  request_timeout: "The request took too long to arrive.",
  conflict: "The request conflicts with an object that already exists, for example by its name.",
  setup_required:
    "The connector's status is `setupRequired`: only the settings in the section for its credentials can be changed; `details` names the others.",
  payload_too_large: "The body is larger than the server accepts; send less data per request.",
  uri_too_long: "A part of the path is too long.",
  unsupported_media_type: "The content type of the body must be `application/json`.",
  too_many_requests:
    "The credentials are wrong, and too many wrong ones came from this address; wait for the seconds in `Retry-After`.",
  headers_too_large: "The request headers are larger than the server accepts.",
  internal: "An error in the server. Its log has a line with the id from the `X-Request-Id` header.",
  unavailable: "The server cannot do this now; try again after the seconds in `Retry-After`.",
  question_timeout: "The question took longer than this server allows; ask a narrower question or start an extract.",
  wait_timeout:
    "The write that the request waits for did not become visible in time. It is not lost; send the request again.",
};

interface RefusalMeaning {
  code: RefusalCode;
  status: number;
  meaning: string;
}

/** All refusals, in the order of their status. */
export function listRefusals(): RefusalMeaning[] {
  const codes = Object.keys(REFUSAL_STATUS) as RefusalCode[];
  return codes.map((code) => ({ code, status: REFUSAL_STATUS[code], meaning: REFUSAL_MEANINGS[code] }));
}
