import { isObject, Refusal, type RefusalDetail } from "@muster/protocol";
import { readTimestamp } from "../../domain/entries/admit-entry.js";

export interface BatchTimes {
  timestampMs: number;
  sentAtMs: number;
}

const REQUIRED = ["timestamp", "sentAt", "batch"] as const;
const TIMES = ["timestamp", "sentAt"] as const;

/** Reads the times in the body of a batch. Refuses a body of another shape, in the words of every other route. */
export function readBatchTimes(given: unknown): BatchTimes {
  // A body that is missing lacks every parameter, so that the answer can name them.
  const body = given === null ? {} : given;
  if (!isObject(body)) throw invalid([{ path: "body", message: "must be object" }]);
  const missing = REQUIRED.filter((name) => body[name] === undefined);
  const details = [
    ...missing.map((name) => ({ path: `body.${name}`, message: "is required" })),
    ...TIMES.filter((name) => !missing.includes(name)).flatMap((name) => typeProblems(`body.${name}`, body[name])),
    ...(missing.includes("batch") || Array.isArray(body.batch)
      ? []
      : [{ path: "body.batch", message: "must be array" }]),
  ];
  if (missing.length > 0) {
    throw new Refusal("missing_parameters", `Required parameters are missing: ${missing.join(", ")}.`, { details });
  }
  if (details.length > 0) throw invalid(details);
  return { timestampMs: readTime("body.timestamp", body.timestamp), sentAtMs: readTime("body.sentAt", body.sentAt) };
}

function typeProblems(path: string, value: unknown): RefusalDetail[] {
  if (typeof value === "string" || typeof value === "number") return [];
  return ["must be string", "must be number", "must match a schema in anyOf"].map((message) => ({ path, message }));
}

function readTime(path: string, value: unknown): number {
  const time = readTimestamp(value);
  if (time === undefined) throw invalid([{ path, message: "is not a date" }]);
  return time;
}

function invalid(details: [RefusalDetail, ...RefusalDetail[]] | RefusalDetail[]): Refusal {
  const [first] = details;
  return new Refusal("invalid_parameter", `${first?.path} ${first?.message}.`, { details });
}
