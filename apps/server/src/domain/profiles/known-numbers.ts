/** The smaller of two numbers, either of which may be unknown. */
export function least(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one;
}

/** The larger of two numbers, either of which may be unknown. */
export function greatest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || (other !== undefined && other > one) ? other : one;
}
