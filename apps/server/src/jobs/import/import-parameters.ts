/** What an import was asked to do, as its job stores it. */
export interface ImportParameters {
  /** Where the file is: an http(s) address, or `upload:` and the id of an upload. */
  url: string;
  overwrite: boolean;
  notify: boolean;
  emitEvent: boolean;
  traits: Record<string, unknown>;
  /** Only tell what would happen. */
  dryRun: boolean;
}

const UPLOAD = /^upload:([0-9a-f]{32})$/;

/** The upload that an import's address stands for, if it does. */
export function uploadOf(url: string): string | undefined {
  return UPLOAD.exec(url)?.[1];
}

export function uploadAddress(id: string): string {
  return `upload:${id}`;
}
