import type { EncodedError } from "../../../runtime/threads/thread-errors.js";
import type { Questions } from "../questions.js";
import type { EncodedArguments } from "./encoded-arguments.js";
import type { EncodedWriting, WritingName } from "./encoded-writing.js";

export type MethodName = keyof Questions;

/** Every method of the port. The code does not compile when a method of the port is missing here. */
const METHODS: Readonly<Record<MethodName, true>> = {
  organizations: true,
  progress: true,
  begin: true,
  writeDocuments: true,
  endDocuments: true,
  writeChanges: true,
  writeEvaluation: true,
  erase: true,
  drop: true,
  page: true,
  count: true,
  aggregate: true,
  explain: true,
  countAttributes: true,
  membershipsOf: true,
  segmentSizes: true,
  membersAfter: true,
  changesOf: true,
  changesOfSegments: true,
  answer: true,
  findEvent: true,
  actionsOf: true,
  countEventsByName: true,
  measureEvents: true,
  countEventsPerInterval: true,
  countMovesPerInterval: true,
  countEntityActions: true,
  trend: true,
  funnel: true,
  retention: true,
  insightUsers: true,
  membersThen: true,
  countMembersThen: true,
  aggregateEvents: true,
  aggregateUsers: true,
  idsAfter: true,
  lastKey: true,
  nextRange: true,
  writeJsonLines: true,
  writeCsvLines: true,
  writeParquet: true,
  joinParquet: true,
  eventColumns: true,
  eventTimes: true,
  ping: true,
  version: true,
  close: true,
};

export const METHOD_NAMES = Object.keys(METHODS) as MethodName[];

export interface Question extends EncodedArguments {
  kind: "ask";
  id: number;
  method: MethodName;
}

/** A call that brings many documents and events. */
export interface Writing {
  kind: "write";
  id: number;
  method: WritingName;
  encoded: EncodedWriting[WritingName];
}

/** From the thread that asks. `id` names the question. */
export type AskingMessage =
  | Question
  | Writing
  /** The signal of the question was aborted. */
  | { kind: "abort"; id: number };

/** From the thread that owns the engine. */
export type AnsweringMessage =
  | { kind: "whole"; id: number; value: unknown }
  | { kind: "error"; id: number; error: EncodedError };
