export * from "./check-manifest.js";
export * from "./check-settings.js";
export * from "./manifest.js";
export * from "./read-manifest.js";
