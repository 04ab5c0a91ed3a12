import { away } from "./cases/away.js";
import { faults } from "./cases/faults.js";
import { largeAccount } from "./cases/large-account.js";
import { lostTail } from "./cases/lost-tail.js";
import { manySegments } from "./cases/many-segments.js";
import { suspendedInApply, suspendedInDelivery, suspendedInJob } from "./cases/suspended.js";
import type { ChaosCase } from "./chaos-case.js";

/** All cases, in the order in which they run. */
export const CASES: readonly ChaosCase[] = [
  faults,
  lostTail,
  suspendedInApply,
  suspendedInDelivery,
  suspendedInJob,
  largeAccount,
  away,
  manySegments,
];
