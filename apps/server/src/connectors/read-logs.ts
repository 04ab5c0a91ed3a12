import { isObject } from "@muster/protocol";
import { LOG_LEVELS, type LogLevel } from "@muster/protocol/api/connector-logs";
import type { LogLine } from "../domain/connectors/connector-log.js";
import { sizeOf } from "../runtime/measures/size-of.js";

const MAX_TEXT_LENGTH = 10_000;
const MAX_DATA_BYTES = 256 * 1024;
const OLDEST = Date.UTC(2000, 0, 1);

/**
 * Reads the logs that a connector sends: one line, a list of lines, or a list under `logs`. A line has a level, a
 * message, data and a time; all other properties are added to the data.
 */
export function readLogs(body: unknown, receivedAt: Date): LogLine[] {
  const given = isObject(body) && Array.isArray(body.logs) ? body.logs : Array.isArray(body) ? body : [body];
  return given.filter(isObject).map((line) => readLog(line, receivedAt));
}

function readLog(line: Record<string, unknown>, receivedAt: Date): LogLine {
  const { level, message, data, timestamp, time, ...rest } = line;
  const details = { ...rest, ...(isObject(data) ? data : data === undefined ? {} : { data }) };
  const summary = details.hull_summary;
  return {
    at: timeOf(timestamp ?? time, receivedAt),
    level: levelOf(level),
    message: text(message),
    data: boundedData(details),
    summary: text(summary),
  };
}

/** Large data is kept as the start of its text. */
function boundedData(details: Record<string, unknown>): Record<string, unknown> {
  if (sizeOf(details) <= MAX_DATA_BYTES) return details;
  return { truncated: JSON.stringify(details).slice(0, MAX_TEXT_LENGTH) };
}

/** Loggers have more levels than we keep. */
function levelOf(given: unknown): LogLevel {
  const name = String(given).toLowerCase();
  if (name === "warning") return "warn";
  if (name === "fatal" || name === "critical") return "error";
  return LOG_LEVELS.find((level) => level === name) ?? "info";
}

/** The time that the line gives, or the time it was received if the given one is in the future or before 2000. */
function timeOf(given: unknown, receivedAt: Date): Date {
  const time = typeof given === "number" || typeof given === "string" ? new Date(given).getTime() : Number.NaN;
  return time >= OLDEST && time <= receivedAt.getTime() ? new Date(time) : receivedAt;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT_LENGTH) : "";
}
