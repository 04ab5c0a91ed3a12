import { Refusal } from "@muster/protocol";

/** Thrown for a file of another version, which cannot be read and must be rebuilt. */
export class OutdatedFile extends Error {}

const RETRY_AFTER_SECONDS = 5;

const FULL = /No space left on device|Disk quota exceeded|max_temp_directory_size/i;

// The machine lacks a resource, or another process uses the file. The file itself is intact.
const PASSING =
  /Too many open files|Permission denied|Read-only file system|Input\/output error|Cannot allocate memory|Out of Memory|failed to pin block|could not allocate block|bad allocation|Could not set lock/i;

const OUT_OF_MEMORY = /^(Out of Memory|TransactionContext) Error:.*(failed to pin block|could not allocate block)/is;

// The texts of other errors can contain values of users, so they must not decide what happens to a file.
const DAMAGED = /^(Serialization Error|(IO|FATAL) Error:.*(corrupt|checksum|Could not read enough bytes))/is;
// DuckDB says so of a log that it cannot use, with errors of many kinds. Values of users come after these words.
const NOT_REPLAYED = /^\w+ Error: Failure while replaying WAL file /i;
const FOREIGN = /^(Catalog Error|IO Error:.*(not a valid DuckDB database file|version number))/is;
const HELD = /^TransactionContext Error: Cannot CHECKPOINT: there are other write transactions active/;
const INVALIDATED = /^(FATAL Error|(IO|TransactionContext) Error:.*has been invalidated)/is;

/** Whether an error of the engine says that a file is damaged and must be replaced. */
export function isDamaged(error: unknown): boolean {
  return error instanceof Error && !isPassing(error) && DAMAGED.test(error.message);
}

/** Whether an error at the opening of a file says that the file is damaged, or is not a file of Muster. */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof OutdatedFile || isDamaged(error)) return true;
  if (!(error instanceof Error) || isPassing(error)) return false;
  return FOREIGN.test(error.message) || NOT_REPLAYED.test(error.message);
}

/** Whether the engine does not use a file any more until it is attached again, for example after a failed checkpoint. */
export function isInvalidated(error: unknown): boolean {
  return error instanceof Error && INVALIDATED.test(error.message);
}

/**
 * Whether the engine is out of memory. It releases the memory of a failed transaction only when the file is attached
 * again.
 */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && OUT_OF_MEMORY.test(error.message);
}

/**
 * Whether a checkpoint is refused because questions run that began before the commit of an update or a change of a table. It
 * is possible when they have ended.
 */
export function isHeldByReader(error: unknown): boolean {
  return error instanceof Error && HELD.test(error.message);
}

/** The error as a refusal, when it says that the engine cannot work at present. */
export function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || !(isPassing(error) || isInvalidated(error))) return error;
  const message = FULL.test(error.message)
    ? "The disk of the question engine is full."
    : "The question engine cannot do this at present.";
  return new Refusal("unavailable", message, { retryAfter: RETRY_AFTER_SECONDS, cause: error });
}

function isPassing(error: Error): boolean {
  return FULL.test(error.message) || PASSING.test(error.message);
}
