/**
 * Boolean SQL. Comparing an unset value gives null, and null counts as false. `and` and `or` treat it so by themselves; a
 * negation or a count must turn null into false explicitly.
 */
export const TRUE = "true";
export const FALSE = "false";

export function and(conditions: readonly string[]): string {
  const needed = conditions.filter((condition) => condition !== TRUE);
  if (needed.includes(FALSE)) return FALSE;
  return join(needed, " and ", TRUE);
}

export function or(conditions: readonly string[]): string {
  const possible = conditions.filter((condition) => condition !== FALSE);
  if (possible.includes(TRUE)) return TRUE;
  return join(possible, " or ", FALSE);
}

export function negate(condition: string): string {
  if (condition === TRUE) return FALSE;
  if (condition === FALSE) return TRUE;
  return `not ${settled(condition)}`;
}

/** Never null. */
export function settled(condition: string): string {
  return condition === TRUE || condition === FALSE ? condition : `coalesce(${condition}, false)`;
}

export function atLeast(count: number, conditions: readonly string[]): string {
  if (count <= 0) return TRUE;
  if (count > conditions.length) return FALSE;
  if (count === 1) return or(conditions);
  if (count === conditions.length) return and(conditions);
  return `(${conditions.map(oneIf).join(" + ")}) >= ${count}`;
}

/** 1 when the condition holds, else 0. */
export function oneIf(condition: string): string {
  return `case when ${condition} then 1 else 0 end`;
}

/** A boolean as a number; null stays null. */
export function bit(sql: string): string {
  return `case when ${sql} then 1 when not ${sql} then 0 end`;
}

function join(conditions: readonly string[], operator: string, none: string): string {
  const [first, ...others] = conditions;
  if (first === undefined) return none;
  return others.length === 0 ? first : `(${conditions.join(operator)})`;
}
