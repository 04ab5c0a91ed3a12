/**
 * Moves the clock of the process that loads this module before its own (`node --import`): `Date` and
 * `performance.timeOrigin`, by the milliseconds that the file named in CHAOS_CLOCK_FILE holds. Timers are not moved, as
 * they are not when the clock of a machine is set. The file with the ending `.seen` says which offset holds.
 */
import { readFileSync, writeFileSync } from "node:fs";

const LOOK_EVERY_MS = 20;

const RealDate = Date;
const file = process.env.CHAOS_CLOCK_FILE ?? "";
let offset = 0;

function look(): void {
  offset = Number(readFileSync(file, "utf8"));
  writeFileSync(`${file}.seen`, String(offset));
}

function lookAgain(): void {
  if (Number(readFileSync(file, "utf8")) !== offset) look();
}

const now = () => RealDate.now() + offset;

const MovedDate: DateConstructor = new Proxy(RealDate, {
  construct: (target, values: unknown[], made): object =>
    // Values are what the caller gave to `new Date`.
    Reflect.construct(target, values.length === 0 ? [now()] : values, made === MovedDate ? target : made) as object,
  apply: (target) => new target(now()).toString(),
  // A Date has no other function that reads the clock.
  get: (target, name, receiver): unknown => (name === "now" ? now : Reflect.get(target, name, receiver)),
});

if (file !== "") {
  look();
  globalThis.Date = MovedDate;
  RealDate.prototype.constructor = MovedDate;
  const { timeOrigin } = performance;
  Object.defineProperty(performance, "timeOrigin", { get: () => timeOrigin + offset, configurable: true });
  setInterval(lookAgain, LOOK_EVERY_MS).unref();
}
