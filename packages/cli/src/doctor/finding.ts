/** The result of one check. With a problem Muster does not work; a warning may become a problem. */
export interface Finding {
  check: string;
  verdict: "ok" | "warning" | "problem";
  message: string;
  /** What to do about it. */
  advice?: string;
}
