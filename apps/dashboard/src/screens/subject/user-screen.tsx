import { SubjectScreen } from "./subject-screen.js";

export function UserScreen() {
  return <SubjectScreen type="user" />;
}
