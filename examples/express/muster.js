import { Client } from "@muster/client";

/** The client, from the variables that `npx muster connector credentials API --env` prints. */
export function createMuster({ MUSTER_URL = "", MUSTER_ID = "", MUSTER_SECRET = "" } = process.env) {
  return new Client({ url: MUSTER_URL, id: MUSTER_ID, secret: MUSTER_SECRET });
}
