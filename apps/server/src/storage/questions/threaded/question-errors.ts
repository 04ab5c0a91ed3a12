import { QueryError } from "@muster/query";
import { errorKind, ThreadErrors } from "../../../runtime/threads/thread-errors.js";
import { QuestionTimeout } from "../question-timeout.js";

/** The errors that callers of the question engine distinguish. */
export const questionErrors = new ThreadErrors([
  errorKind({
    kind: "timeout",
    type: QuestionTimeout,
    encode: ({ seconds }) => seconds,
    decode: (seconds) => new QuestionTimeout(seconds),
  }),
  errorKind({
    kind: "query",
    type: QueryError,
    encode: ({ path, reason }) => ({ path, reason }),
    decode: ({ path, reason }) => new QueryError(path, reason),
  }),
]);
