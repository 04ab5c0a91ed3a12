import type { SearchAnswer } from "@muster/protocol/api/search";
import type { Segment } from "@muster/protocol/api/segments";
import { counted } from "../output/counted.js";
import { lines } from "../output/table.js";
import { readList } from "../read-list.js";
import type { DemoOrganization } from "./demo-organization.js";

/** What to look at in a demo. */
export interface Sights {
  organization: string;
  /** Signs in once, and leads to the organization of the demo. */
  sign_in_url: string;
  dashboard_url: string;
  segments: { name: string; members: number; url: string }[];
  /** A user that Muster first knew as three. */
  user: Sight | null;
  /** The largest account at risk. */
  account: Sight | null;
  website_url: string | null;
}

interface Sight {
  id: string;
  name: string;
  url: string;
}

const SHOWN_SEGMENTS = ["Trial ending", "Power users", "Accounts at risk"];

export async function findSights(demo: DemoOrganization, url: string, website: string | undefined): Promise<Sights> {
  const { api, id, namespace } = demo;
  const { url: signIn } = await api.post<{ url: string }>("/sign_in_links");
  const all = await readList<Segment>(api, "/segments");
  const own = all.filter((segment) => demo.notes.made.includes(segment.id));
  const risk = own.find(({ name }) => name === "Accounts at risk");
  const dashboard = `${url}/o/${id}`;
  const first = async (kind: "user" | "account", query: object, sort: object): Promise<Sight | null> => {
    const search = { query, sort, page: 1, per_page: 1 };
    const { data } = await api.post<SearchAnswer>(`/search/${kind}_reports`, search);
    const [found] = data;
    return found
      ? { id: found.id, name: String(found.name ?? found.id), url: `${dashboard}/${kind}s/${found.id}` }
      : null;
  };
  return {
    organization: namespace,
    sign_in_url: `${signIn}?to=/o/${id}`,
    dashboard_url: dashboard,
    segments: SHOWN_SEGMENTS.flatMap((wanted) => {
      const segment = own.find(({ name }) => name === wanted);
      if (!segment) return [];
      const members = segment.stats.users ?? segment.stats.accounts ?? 0;
      return [{ name: wanted, members, url: `${dashboard}/segments/${segment.id}` }];
    }),
    user: await first("user", { term: { external_id: "demo-story-0" } }, {}),
    account: risk ? await first("account", { term: { segment_ids: risk.id } }, { mrr: "desc" }) : null,
    website_url: website ?? null,
  };
}

export function describeSights({
  organization,
  sign_in_url,
  dashboard_url,
  segments,
  user,
  account,
  website_url,
}: Sights) {
  return [
    lines({ "Sign in": `${sign_in_url} (works once, for 15 minutes)`, Dashboard: dashboard_url }),
    "Look at",
    ...segments.map(({ name, members, url }) => `  ${name} (${counted(members, "members")})\n    ${url}`),
    ...(user ? [`  ${user.name}, who was three users before they signed up\n    ${user.url}`] : []),
    ...(account ? [`  ${account.name}, the largest account at risk\n    ${account.url}`] : []),
    ...(website_url ? [`  The website, which records its visitors\n    ${website_url}`] : []),
    `\nThe other commands need --org ${organization}. muster demo --live keeps it moving, muster demo --remove takes it away.`,
  ].join("\n");
}
