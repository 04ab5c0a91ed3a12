export * from "./entity.js";
export * from "./rows/insert-rows.js";
export * from "./tables.js";
