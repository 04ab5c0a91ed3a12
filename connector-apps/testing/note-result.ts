import { appendFileSync } from "node:fs";

/** What tests found out about a destination. `scripts/test-destinations.js` makes a table of all of them. */
export type DestinationResult =
  | { kind: "manifest"; name: string; problems: number }
  | { kind: "form"; name: string; actions: number }
  | { kind: "preset"; name: string; preset: string; result: string; reason: string };

/** Keeps a result for the table. Test files are processes of their own, and each adds lines to one file. */
export function noteResult(result: DestinationResult): void {
  const file = process.env.DESTINATION_RESULTS;
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(result)}\n`);
}
