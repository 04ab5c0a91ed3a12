import type { JobObject } from "@muster/protocol/api/jobs";
import type { FileOptions } from "../../api/jobs/use-import.js";
import type { ColumnChoice } from "./column-mapping.js";
import { type ImportExtras, NO_EXTRAS } from "./import-extras.js";
import type { ImportSwitches } from "./import-options.js";

/** What somebody has chosen for a file. It is kept in the tab, so that a reload loses nothing. */
export interface ImportDraft {
  options: FileOptions;
  /** Undefined until the columns of the file are known. */
  choices: ColumnChoice[] | undefined;
  eventName: string;
  switches: ImportSwitches;
  extras: ImportExtras;
}

export const EMPTY_DRAFT: ImportDraft = {
  options: {},
  choices: undefined,
  eventName: "",
  switches: { overwrite: false, notify: false },
  extras: NO_EXTRAS,
};

/** The draft of a file; undefined when nothing was chosen in this tab. */
export function readDraft(file: string, object: JobObject): ImportDraft | undefined {
  const text = sessionStorage.getItem(keyOf(file, object));
  // Only this module writes it, though an earlier version of it may have written less.
  return text === null ? undefined : { ...EMPTY_DRAFT, ...(JSON.parse(text) as Partial<ImportDraft>) };
}

export function keepDraft(file: string, object: JobObject, draft: ImportDraft): void {
  sessionStorage.setItem(keyOf(file, object), JSON.stringify(draft));
}

function keyOf(file: string, object: JobObject): string {
  return `import ${object} ${file}`;
}
