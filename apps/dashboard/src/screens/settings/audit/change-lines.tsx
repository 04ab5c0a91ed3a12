import { Text } from "@mantine/core";
import classes from "./change-lines.module.css";
import { fieldChanges, pathWords, valueWords } from "./field-changes.js";

interface ChangeLinesProps {
  before: unknown;
  after: unknown;
  /** The names of objects by their ids. */
  names: ReadonlyMap<string, string>;
  /** Shows no more than so many lines. */
  limit?: number;
}

/** What a change has changed: a line for each field, from what it was to what it became. */
export function ChangeLines({ before, after, names, limit = Number.POSITIVE_INFINITY }: ChangeLinesProps) {
  const all = fieldChanges(before, after);
  const shownValue = (value: string) => valueWords(value, names);
  const shown = all.slice(0, limit);
  return (
    <>
      {shown.map(({ path, before: was, after: became }) => (
        <div key={path} className={classes.line}>
          <span className={classes.path} title={path}>
            {pathWords(path)}
          </span>
          {was === undefined ? null : <del className={classes.before}>{shownValue(was)}</del>}
          {was === undefined || became === undefined ? null : <span aria-hidden>→</span>}
          {became === undefined ? null : <ins className={classes.after}>{shownValue(became)}</ins>}
        </div>
      ))}
      {all.length === 0 && before !== null && after !== null ? <Text c="dimmed">Nothing became different</Text> : null}
      {all.length > shown.length ? <Text c="dimmed">and {all.length - shown.length} more</Text> : null}
    </>
  );
}
