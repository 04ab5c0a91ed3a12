export interface ManifestProblem {
  /** Where, e.g. `private_settings.3.type`. */
  path: string;
  message: string;
  /** `error`: the part is not used; `warning`: the part is used, but perhaps not as its author expects. */
  severity: "error" | "warning";
}
