/** Reads an edited payload: an object, or a sentence that says what is wrong with the text. */
export function readBody(
  text: string,
): { body: Record<string, unknown>; problem?: undefined } | { body?: undefined; problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return { body: value as Record<string, unknown> };
    }
    return { problem: "The payload must be an object." };
  } catch (error) {
    return { problem: `This is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}
