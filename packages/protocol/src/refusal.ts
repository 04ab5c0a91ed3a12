/**
 * The closed list of refusal codes: reasons that the caller can act on. Any other error is a bug of ours: it is answered
 * with `internal` and status 500, and logged.
 */
export const REFUSAL_STATUS = {
  bad_request: 400,
  malformed_json: 400,
  missing_parameters: 400,
  invalid_parameter: 400,
  invalid_query: 400,
  batch_refused: 400,
  unauthorized: 401,
  invalid_token: 401,
  organization_disabled: 402,
  forbidden: 403,
  connector_disabled: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  setup_required: 409,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  too_many_requests: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
  question_timeout: 504,
  wait_timeout: 504,
} as const;

export type RefusalCode = keyof typeof REFUSAL_STATUS;

export interface RefusalDetail {
  /** Where in the request, e.g. `body.batch.3.type` or `query.bool.must.0`. */
  path: string;
  message: string;
}

export interface RefusalOptions {
  details?: RefusalDetail[];
  /** Seconds after which the caller should try again; sent as `Retry-After`. */
  retryAfter?: number;
  cause?: unknown;
}

/** @example throw new Refusal("not_found", `There is no segment ${id}.`) */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly code: RefusalCode;
  readonly status: number;
  readonly details: RefusalDetail[];
  readonly retryAfter: number | undefined;

  constructor(code: RefusalCode, message: string, options: RefusalOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = REFUSAL_STATUS[code];
    this.details = options.details ?? [];
    this.retryAfter = options.retryAfter;
  }
}

/** The JSON body of every refusal. */
export interface RefusalBody {
  error: { code: RefusalCode; message: string; details: RefusalDetail[] };
  message: string;
  status: number;
}

export function refusalBody(refusal: Refusal): RefusalBody {
  return {
    error: { code: refusal.code, message: refusal.message, details: refusal.details },
    message: refusal.message,
    status: refusal.status,
  };
}
