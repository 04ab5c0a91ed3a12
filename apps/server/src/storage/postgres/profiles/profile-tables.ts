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
    // A user of a merged or erased account may not have followed it yet. The limit makes the planner look each account up in
    // the index: it takes the table for nearly empty and would compare each user with every row.
    rows: `users p
     left join lateral (
       select from_account, to_account
       from account_relinks
       where organization_id = p.organization_id and from_account = p.account_id
       limit 1
     ) l on true`,
    columns: `p.id, p.state, p.version, l.from_account as relinked_from, p.account_origin,
       case when l.from_account is null then p.account_id else l.to_account end as account_id`,
    identifiers: "user_identifiers",
    owner: "user_id",
  },
  account: {
    profiles: "accounts",
    rows: "accounts p",
    columns: "p.id, p.state, p.version, null as account_id, null as relinked_from, null as account_origin",
    identifiers: "account_identifiers",
    owner: "account_id",
  },
};
