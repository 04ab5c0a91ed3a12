/** The version of this package; a test compares it with package.json, which a build cannot import. */
export const VERSION = "0.1.0";
