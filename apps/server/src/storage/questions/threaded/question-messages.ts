import type { Questions } from "../questions.js";
import type { PackedArguments } from "./packed-arguments.js";
import type { PackedError } from "./packed-error.js";
import type { PackedWriting, WritingName } from "./packed-writing.js";

/** How the answer of a method crosses between threads: as a whole, or in pieces. */
type Crossing<Method extends (...args: never[]) => unknown> =
  ReturnType<Method> extends AsyncIterable<unknown> ? "pieces" : "whole";

/** Every method of the port. One that is added to the port does not compile until it is here. */
export const METHODS: { readonly [Name in keyof Questions]: Crossing<Questions[Name]> } = {
  organizations: "whole",
  progress: "whole",
  begin: "whole",
  writeDocuments: "whole",
  endDocuments: "whole",
  writeChanges: "whole",
  writeEvaluation: "whole",
  erase: "whole",
  drop: "whole",
  page: "whole",
  count: "whole",
  aggregate: "whole",
  explain: "whole",
  countAttributes: "whole",
  membershipsOf: "whole",
  segmentSizes: "whole",
  membersAfter: "whole",
  changesOf: "whole",
  changesOfSegment: "whole",
  answer: "whole",
  findEvent: "whole",
  actionsOf: "whole",
  countEventsByName: "whole",
  measureEvents: "whole",
  countEventsPerInterval: "whole",
  countMovesPerInterval: "whole",
  countEntityActions: "whole",
  lastKey: "whole",
  nextRange: "whole",
  jsonLines: "pieces",
  csvLines: "pieces",
  writeParquet: "whole",
  joinParquet: "whole",
  ping: "whole",
  version: "whole",
  close: "whole",
};

export type MethodName = keyof Questions;

export interface Question extends PackedArguments {
  kind: "ask";
  id: number;
  method: MethodName;
}

/** A call that brings many documents and events. */
export interface Writing {
  kind: "write";
  id: number;
  method: WritingName;
  packed: PackedWriting[WritingName];
}

/** From the thread that asks. `id` names the question. */
export type AskingMessage =
  | Question
  | Writing
  /** The signal of the question was aborted. */
  | { kind: "abort"; id: number }
  /** A piece was taken, so that another one may be sent. */
  | { kind: "more"; id: number }
  /** No further piece is wanted. */
  | { kind: "end"; id: number };

/** From the thread that owns the engine. */
export type AnsweringMessage =
  | { kind: "whole"; id: number; value: unknown }
  | { kind: "piece"; id: number; value: Uint8Array }
  | { kind: "done"; id: number }
  | { kind: "error"; id: number; error: PackedError };

/** So many pieces are under way at most. The engine waits for the reader with the next one. */
export const PIECES_AHEAD = 4;
