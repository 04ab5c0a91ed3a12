export * from "./check-manifest.js";
export * from "./check-references.js";
export * from "./check-settings.js";
export * from "./manifest.js";
export * from "./manifest-problem.js";
export * from "./read-manifest.js";
export * from "./setting-entry.js";
export * from "./setting-problem.js";
