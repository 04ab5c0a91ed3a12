/** Whether tests repeat as often as `npm run test:long` asks for, and not only as often as every change needs. */
export const isLong = process.env.TEST_LENGTH === "full";

/**
 * How often a test repeats something: the first number in `npm test`, the second one in `npm run test:long`.
 *
 * @example
 * const KILLS = sized(5, 30);
 */
export function sized(short: number, long: number): number {
  return isLong ? long : short;
}
