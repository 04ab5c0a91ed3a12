import type { RenamedEvents } from "../../domain/changes/change-set.js";

/** How the text of an event changes with its name. */
export interface DocRename {
  /** The name in the text, and the name that the event came with when that follows it. */
  old: string;
  renamed: string;
  /** Only texts in which something else comes after `old`. */
  unlessFollowedBy?: string;
}

const SENT_AS = ',"sent_as":';

/**
 * How the texts of events change when events with a name get another one. Each event keeps the name that it came with, so
 * that the change can be undone. Every text of the events fits one of the rules, or none.
 */
export function docRenames({ from, into, sentAs }: RenamedEvents): DocRename[] {
  const old = named(from);
  if (sentAs) {
    return sentAs.map((name) => ({
      old: old + SENT_AS + JSON.stringify(name),
      renamed: name === into ? named(into) : named(into) + SENT_AS + JSON.stringify(name),
    }));
  }
  return [
    { old, renamed: named(into) + SENT_AS + JSON.stringify(from), unlessFollowedBy: SENT_AS },
    { old: old + SENT_AS, renamed: named(into) + SENT_AS },
  ];
}

function named(name: string): string {
  return `"event":${JSON.stringify(name)}`;
}
