import type { SubjectType } from "@muster/protocol";

interface ProfileTables {
  profiles: string;
  columns: string;
  identifiers: string;
  /** The column of `identifiers` with the id of the profile. */
  owner: string;
}

export const PROFILE_TABLES: Record<SubjectType, ProfileTables> = {
  user: {
    profiles: "users",
    columns: "id, state, version, account_id",
    identifiers: "user_identifiers",
    owner: "user_id",
  },
  account: {
    profiles: "accounts",
    columns: "id, state, version, null as account_id",
    identifiers: "account_identifiers",
    owner: "account_id",
  },
};
