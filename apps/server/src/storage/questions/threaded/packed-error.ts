import { Refusal, type RefusalCode } from "@muster/protocol";
import { QueryError } from "@muster/query";
import { QuestionTimeout } from "../question-timeout.js";

/** An error as data. A message between threads keeps neither the class of an error nor its properties. */
export type PackedError =
  | {
      kind: "refusal";
      code: RefusalCode;
      message: string;
      details: Refusal["details"];
      retryAfter: number | undefined;
      cause: PackedError | undefined;
    }
  | { kind: "timeout"; seconds: number }
  | { kind: "query"; path: string; reason: string }
  | {
      kind: "other";
      name: string;
      message: string;
      stack: string | undefined;
      code: string | undefined;
      cause: PackedError | undefined;
    };

export function packError(error: unknown): PackedError {
  if (error instanceof QuestionTimeout) return { kind: "timeout", seconds: error.seconds };
  if (error instanceof Refusal) {
    const { code, message, details, retryAfter, cause } = error;
    return { kind: "refusal", code, message, details, retryAfter, cause: packCause(cause) };
  }
  if (error instanceof QueryError) return { kind: "query", path: error.path, reason: error.reason };
  if (!(error instanceof Error)) {
    return {
      kind: "other",
      name: "Error",
      message: String(error),
      stack: undefined,
      code: undefined,
      cause: undefined,
    };
  }
  const { name, message, stack, cause } = error;
  const code = "code" in error ? String(error.code) : undefined;
  return { kind: "other", name, message, stack, code, cause: packCause(cause) };
}

export function unpackError(packed: PackedError): Error {
  switch (packed.kind) {
    case "timeout":
      return new QuestionTimeout(packed.seconds);
    case "query":
      return new QueryError(packed.path, packed.reason);
    case "refusal": {
      const { code, message, details, retryAfter, cause } = packed;
      return new Refusal(code, message, {
        details,
        ...(retryAfter === undefined ? {} : { retryAfter }),
        ...(cause ? { cause: unpackError(cause) } : {}),
      });
    }
    default: {
      const { name, message, stack, code, cause } = packed;
      const error = new Error(message, cause ? { cause: unpackError(cause) } : {});
      return Object.assign(error, { name }, stack === undefined ? {} : { stack }, code === undefined ? {} : { code });
    }
  }
}

function packCause(cause: unknown): PackedError | undefined {
  return cause === undefined ? undefined : packError(cause);
}
