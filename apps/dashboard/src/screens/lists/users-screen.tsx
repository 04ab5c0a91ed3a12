import { SubjectList } from "./subject-list.js";

/** Who are they? Everybody, searched as you type. */
export function UsersScreen() {
  return <SubjectList key="user" target="user" />;
}
