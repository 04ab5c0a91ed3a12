import { SubjectScreen } from "./subject-screen.js";

export function AccountScreen() {
  return <SubjectScreen type="account" />;
}
