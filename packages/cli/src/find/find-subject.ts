import { type SubjectType, typeOfId } from "@muster/protocol";
import type { SearchAnswer } from "@muster/protocol/api/search";
import type { Report } from "@muster/protocol/api/subjects";
import { type Api, RefusedRequest } from "../api.js";
import { Failure, usageFailure } from "../failure.js";

/** The identifiers by which a person can name a user or an account, other than the id. */
export const IDENTIFIERS = {
  user: ["email", "external_id", "anonymous_ids"],
  account: ["domain", "external_id", "anonymous_ids"],
} as const;

/**
 * The user or account with this id or identifier. `by` names the one identifier to look at, for a text that several
 * profiles have as different identifiers.
 */
export async function findSubject(
  api: Api,
  subjectType: SubjectType,
  given: string,
  by: string | undefined,
): Promise<Report> {
  if ((by === undefined || by === "id") && typeOfId(given) === subjectType) {
    const found = await reportOf(api, subjectType, given);
    if (found) return found;
  }
  const found = by === "id" ? [] : await search(api, subjectType, given, by);
  const [first, ...others] = found;
  if (first === undefined) {
    throw new Failure("refused", `There is no ${subjectType} with the ${by ?? namesOf(subjectType)} "${given}".`);
  }
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => id).join(", ");
  throw usageFailure(`"${given}" names several ${subjectType}s: ${ids}. Give the id, or say with --by what it is.`);
}

async function reportOf(api: Api, subjectType: SubjectType, id: string): Promise<Report | undefined> {
  try {
    return await api.get<Report>(`/${id}/${subjectType}_report`);
  } catch (error) {
    if (error instanceof RefusedRequest && error.status === 404) return undefined;
    throw error;
  }
}

async function search(api: Api, subjectType: SubjectType, given: string, by: string | undefined): Promise<Report[]> {
  const fields = by === undefined ? IDENTIFIERS[subjectType] : [by === "anonymous_id" ? "anonymous_ids" : by];
  const ask = async (clauses: object[]) => {
    const request = { query: { bool: { should: clauses } }, per_page: 100 };
    return (await api.post<SearchAnswer>(`/search/${subjectType}_reports`, request)).data;
  };
  const exact = await ask(fields.map((field) => ({ term: { [field]: given } })));
  const address = fields.find((field) => field === "email" || field === "domain");
  if (exact.length > 0 || address === undefined) return exact;
  // Emails and domains are the same in upper and lower case, and are kept as they were sent.
  const similar = await ask([{ match_phrase: { [address]: given } }]);
  return similar.filter((report) => String(report[address]).toLowerCase() === given.toLowerCase());
}

function namesOf(subjectType: SubjectType): string {
  return subjectType === "user" ? "id, email, external id or anonymous id" : "id, domain, external id or anonymous id";
}
