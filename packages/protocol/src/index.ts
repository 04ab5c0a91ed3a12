export * from "./batch.js";
export * from "./brand.js";
export * from "./claims.js";
export * from "./id.js";
export * from "./is-object.js";
export * from "./notification.js";
export * from "./refusal.js";
export * from "./token.js";
