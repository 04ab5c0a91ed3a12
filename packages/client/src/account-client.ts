import { SubjectClient } from "./subject-client.js";

/**
 * A client that acts for an account.
 *
 * @example
 * await client.asAccount({ domain: "example.com" }).traits({ name: "Example", employees: 120 });
 */
export class AccountClient extends SubjectClient {}
