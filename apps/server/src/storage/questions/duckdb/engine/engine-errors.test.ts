import { expect, test } from "vitest";
import { asUnavailable, isDamaged, isInvalidated, isOutOfMemory, isUnreadable } from "./engine-errors.js";

function classify(message: string) {
  const error = new Error(message);
  return {
    isDamaged: isDamaged(error),
    isUnreadable: isUnreadable(error),
    isInvalidated: isInvalidated(error),
    isUnavailable: asUnavailable(error) !== error,
  };
}

const NOTHING = { isDamaged: false, isUnreadable: false, isInvalidated: false, isUnavailable: false };

test.each([
  "IO Error: Corrupt database file: computed checksum 1 does not match stored checksum 2 in block at location 3",
  'IO Error: Could not read enough bytes from file "x.duckdb": attempted to read 254432 bytes from location 20000',
  "Serialization Error: Failed to deserialize: expected end of object, but found field id: 5",
])("a damaged file is replaced: %s", (message) => {
  expect(classify(message)).toEqual({ ...NOTHING, isDamaged: true, isUnreadable: true });
});

test.each([
  'IO Error: The file "x.duckdb" exists, but it is not a valid DuckDB database file!',
  "Catalog Error: Table with name progress does not exist!",
  'INTERNAL Error: Failure while replaying WAL file "x.duckdb.wal": Invalid WAL entry type!',
  'Constraint Error: Failure while replaying WAL file "x.duckdb.wal": Duplicate key "id: 1" violates primary key constraint.',
])("a file that is none of ours or whose log does not fit is replaced when it is opened: %s", (message) => {
  expect(classify(message)).toEqual({ ...NOTHING, isUnreadable: true });
});

test.each([
  'IO Error: Cannot open file "x.duckdb": Too many open files',
  'IO Error: Cannot open file "x.duckdb": Permission denied',
  'IO Error: Could not set lock on file "x.duckdb": Conflicting lock is held in node (PID 7)',
  'IO Error: Could not write file "x.duckdb": No space left on device',
  'IO Error: Failure while replaying WAL file "x.duckdb.wal": corrupt, because: No space left on device',
  "Out of Memory Error: failed to allocate data of size 16.0 MiB (245.0 MiB/256.0 MiB used)",
])("a good file stays when the machine lacks something: %s", (message) => {
  expect(classify(message)).toEqual({ ...NOTHING, isUnavailable: true });
});

test("a file whose checkpoint failed is opened again", () => {
  const message =
    'IO Error: Database "b" has been invalidated because checkpointing failed. Original error: No space left on device';
  expect(classify(message)).toEqual({ ...NOTHING, isInvalidated: true, isUnavailable: true });
});

test.each(["corrupt checksum", "FATAL Error: it has been invalidated", "not a valid DuckDB database file"])(
  "the value of a user in an error does not decide about a file: %s",
  (value) => {
    expect(classify(`Conversion Error: Could not convert string '${value}' to INT64`)).toEqual(NOTHING);
  },
);

test("a lack of the engine's memory is told from other errors that name a block", () => {
  const failed = "Failed to commit: failed to pin block of size 256.0 KiB (1023.9 MiB/1.0 GiB used)";
  expect(isOutOfMemory(new Error(`TransactionContext Error: ${failed}`))).toBe(true);
  expect(isOutOfMemory(new Error("Out of Memory Error: could not allocate block of size 924.0 KiB"))).toBe(true);
  expect(isOutOfMemory(new Error("Conversion Error: could not allocate block"))).toBe(false);
});
