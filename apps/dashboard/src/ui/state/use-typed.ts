import { useDebouncedValue } from "@mantine/hooks";

/** Short enough to feel instant, long enough not to ask for every letter of a fast typist. */
const TYPING_MS = 80;

/** The value once the person has stopped typing. */
export function useTyped<Value>(value: Value): Value {
  return useDebouncedValue(value, TYPING_MS)[0];
}
