/** How a table shows whether a measurement reached its goal. */
export function goalMark(isMet: boolean): string {
  return isMet ? "met" : "MISSED";
}
