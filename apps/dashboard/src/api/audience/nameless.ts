import { typeOfId } from "@muster/protocol/api/object-ids";

/** What a user or account is called that has nothing to be called by. The end of the id tells two of them apart. */
export function namelessWords(id: string): string {
  return `${typeOfId(id) === "account" ? "Account" : "Anonymous user"} …${id.slice(-6)}`;
}
