import { Refusal } from "@muster/protocol";

/** An error as data. */
export interface EncodedError {
  kind: string;
  content: unknown;
  cause: EncodedError | undefined;
}

/** How errors of one class become data and errors again. */
export interface ErrorKind<Kept extends Error, Content> {
  /** Its name in messages. */
  kind: string;
  type: abstract new (...args: never[]) => Kept;
  encode(error: Kept): Content;
  decode(content: Content, cause: { cause?: Error }): Kept;
}

// The pairs of `encode` and `decode` agree about their content, so the list of kinds need not know it.
type AnyErrorKind = ErrorKind<Error, unknown>;

export function errorKind<Kept extends Error, Content>(kind: ErrorKind<Kept, Content>): AnyErrorKind {
  return kind as unknown as AnyErrorKind;
}

const REFUSALS = errorKind({
  kind: "refusal",
  type: Refusal,
  encode: ({ code, message, details, retryAfter }) => ({ code, message, details, retryAfter }),
  decode: ({ code, message, details, retryAfter }, cause) =>
    new Refusal(code, message, { details, ...(retryAfter === undefined ? {} : { retryAfter }), ...cause }),
});

/** What is kept of an error without a kind. */
interface OtherError {
  name: string;
  message: string;
  stack: string | undefined;
  code: string | undefined;
}

/**
 * Sends errors from one thread to another. A message between threads keeps neither the class of an error nor its properties,
 * so both threads name the classes that their callers distinguish. Refusals are always among them.
 */
export class ThreadErrors {
  readonly #kinds: readonly AnyErrorKind[];

  constructor(kinds: readonly AnyErrorKind[] = []) {
    this.#kinds = [...kinds, REFUSALS];
  }

  encode(error: unknown): EncodedError {
    const cause = error instanceof Error && error.cause !== undefined ? this.encode(error.cause) : undefined;
    const known = this.#kinds.find(({ type }) => error instanceof type);
    if (known) return { kind: known.kind, content: known.encode(error as Error), cause };
    return { kind: "other", content: contentOf(error), cause };
  }

  decode({ kind, content, cause: encodedCause }: EncodedError): Error {
    const cause = encodedCause ? { cause: this.decode(encodedCause) } : {};
    const known = this.#kinds.find((each) => each.kind === kind);
    if (known) return known.decode(content, cause);
    // Only `contentOf` makes other content.
    const { name, message, stack, code } = content as OtherError;
    const error = new Error(message, cause);
    return Object.assign(error, { name }, stack === undefined ? {} : { stack }, code === undefined ? {} : { code });
  }
}

function contentOf(error: unknown): OtherError {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined, code: undefined };
  const { name, message, stack } = error;
  return { name, message, stack, code: "code" in error ? String(error.code) : undefined };
}
