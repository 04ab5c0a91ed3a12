import type { Paths } from "@muster/protocol/api/paths";
import type { paths as GeneratedPaths } from "./schema.js";

/** The operations that have a contract, and those of the generated file for the rest. */
export type paths = {
  [Path in keyof GeneratedPaths]: Path extends keyof Paths
    ? Paths[Path] & Omit<GeneratedPaths[Path], keyof Paths[Path] | "parameters">
    : GeneratedPaths[Path];
};
