import { Refusal } from "@muster/protocol";

/** An e-mail address as it is stored: without spaces around it. Refuses what cannot be one. */
export function readEmail(given: string): string {
  const email = given.trim();
  if (email.length > 254 || !/^[^\s@<>,;"]+@[^\s@<>,;"]+$/.test(email)) {
    throw new Refusal("invalid_parameter", `"${given.slice(0, 100)}" is not an e-mail address.`);
  }
  return email;
}
