/** The name that somebody may have meant by one that does not exist; undefined when no name is like it. */
export function closestName(given: string, names: Iterable<string>): string | undefined {
  const wanted = plain(given);
  let closest: string | undefined;
  let best = tolerance(wanted) + 1;
  for (const name of names) {
    const edits = editsBetween(wanted, plain(name), best - 1);
    if (edits >= best) continue;
    [closest, best] = [name, edits];
    if (edits === 0) break;
  }
  return closest;
}

/** Without what people mix up most: case, and how words are joined. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_./-]/g, "");
}

/** How many edits two names may be apart. In a short name a single edit makes another word. */
function tolerance(name: string): number {
  return name.length < 3 ? 0 : name.length < 6 ? 1 : name.length < 10 ? 2 : 3;
}

/** The number of letters to add, remove, replace, or swap with the next one; more than `most` when it is more. */
function editsBetween(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1];
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? beforeLast[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    if (Math.min(...current) > most) return most + 1;
    [beforeLast, last] = [last, current];
  }
  return last[b.length]!;
}
