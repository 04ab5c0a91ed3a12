import type { CodeProblem } from "../../../ui/code/code-mirror.js";

interface ReadMessage {
  message?: Record<string, unknown>;
  problem?: CodeProblem;
}

/** The message that a text of JSON says, or what is wrong with the text. */
export function readMessage(text: string): ReadMessage {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { message: value as Record<string, unknown> };
    }
    return { problem: { line: 1, message: "The message must be an object." } };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { problem: { line: lineIn(message, text), message } };
  }
}

/** Browsers name the place by its line, by its position in the text, or not at all. */
function lineIn(message: string, text: string): number {
  const line = /line (\d+)/.exec(message);
  if (line) return Number(line[1]);
  const position = /position (\d+)/.exec(message);
  return position ? text.slice(0, Number(position[1])).split("\n").length : text.split("\n").length;
}
