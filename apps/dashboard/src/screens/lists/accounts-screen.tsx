import { SubjectList } from "./subject-list.js";

/** The companies of users, searched as you type. */
export function AccountsScreen() {
  return <SubjectList key="account" target="account" />;
}
