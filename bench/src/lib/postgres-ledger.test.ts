import { expect, test } from "vitest";
import { PostgresLedger, type ProcessReading } from "./postgres-ledger.js";

const reading = (pid: number, kind: ProcessReading["kind"], ownMs: number, endedMs = 0): ProcessReading => ({
  pid,
  kind,
  ownMs,
  endedMs,
});

test("time since the first reading is added up by kind, and a new process counts from its start", () => {
  const ledger = new PostgresLedger();
  ledger.note([reading(1, "background", 100), reading(2, "backend", 1_000)]);
  ledger.note([reading(1, "background", 110), reading(2, "backend", 1_500), reading(3, "backend", 40)]);
  expect(ledger.spent()).toEqual({ backends: 540, background: 10 });
});

test("a backend that ends stays a backend, although its parent counts its time too", () => {
  const ledger = new PostgresLedger();
  ledger.note([reading(1, "background", 100, 50), reading(2, "backend", 1_000)]);
  ledger.note([reading(1, "background", 100, 50), reading(2, "backend", 1_300)]);
  ledger.note([reading(1, "background", 100, 1_350)]);
  expect(ledger.spent()).toEqual({ backends: 300, background: 0 });
});

test("what ended without being seen is background", () => {
  const ledger = new PostgresLedger();
  ledger.note([reading(1, "background", 100, 50)]);
  ledger.note([reading(1, "background", 100, 90)]);
  expect(ledger.spent()).toEqual({ backends: 0, background: 40 });
});

test("without readings nothing was used", () => {
  expect(new PostgresLedger().spent()).toEqual({ backends: 0, background: 0 });
});
