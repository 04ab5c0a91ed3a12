import type { Report } from "@muster/connector";
import type { UserUpdateMessage } from "@muster/protocol";

/** The CRM was never told about this country. */
const UNKNOWN_COUNTRY = "Italy";
/** The longest name that its table has room for. */
const LONGEST_NAME = 13;

/** What the CRM answers to a user: it takes most, and is as particular as old programs are. */
export function answerOf({ email, traits_country, traits_name }: UserUpdateMessage["user"]): Report {
  if (typeof email !== "string") return { result: "skipped", reason: "The CRM knows people by their e-mail address." };
  if (traits_country === UNKNOWN_COUNTRY) return refused(422, `${UNKNOWN_COUNTRY} is not in the list of countries.`);
  if (typeof traits_name === "string" && traits_name.length > LONGEST_NAME) {
    return refused(400, `name: value too long for type character varying(${LONGEST_NAME})`);
  }
  return { result: "accepted", status: 201 };
}

function refused(status: number, message: string): Report {
  return { result: "refused", status, body: JSON.stringify({ message }), reason: `The CRM answered ${status}.` };
}
