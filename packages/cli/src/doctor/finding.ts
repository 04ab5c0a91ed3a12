/** What one check found. A problem keeps Muster from working; a warning may come to. */
export interface Finding {
  check: string;
  verdict: "ok" | "warning" | "problem";
  message: string;
}
