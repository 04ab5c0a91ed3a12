export const OWNERS_ONLY = "Only owners of the organization may change platforms.";
