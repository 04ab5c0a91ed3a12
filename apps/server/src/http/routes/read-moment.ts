import { Refusal } from "@muster/protocol";

/** The milliseconds of a moment in a query string. It must be in the past: nobody knows what will be known. */
export function readMoment(text: string): number {
  const moment = Date.parse(text);
  if (moment <= Date.now()) return moment;
  const message = "must be in the past";
  throw new Refusal("invalid_parameter", `querystring.at ${message}.`, {
    details: [{ path: "querystring.at", message }],
  });
}
