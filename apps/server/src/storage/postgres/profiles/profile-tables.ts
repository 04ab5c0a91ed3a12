import type { SubjectType } from "@muster/protocol";

interface ProfileTables {
  profiles: string;
  /** The rows to read profiles from. The table is `p` here. */
  rows: string;
  columns: string;
  identifiers: string;
  /** The column of `identifiers` with the id of the profile. */
  owner: string;
}

export const PROFILE_TABLES: Record<SubjectType, ProfileTables> = {
  user: {
    profiles: "users",
    // A user of a merged or erased account may not have followed it yet.
    rows: `users p
     left join account_relinks l on l.organization_id = p.organization_id and l.from_account = p.account_id`,
    columns: `p.id, p.state, p.version, l.from_account as relinked_from,
       case when l.from_account is null then p.account_id else l.to_account end as account_id`,
    identifiers: "user_identifiers",
    owner: "user_id",
  },
  account: {
    profiles: "accounts",
    rows: "accounts p",
    columns: "p.id, p.state, p.version, null as account_id, null as relinked_from",
    identifiers: "account_identifiers",
    owner: "account_id",
  },
};
