import { useUrlState } from "../../../ui/state/use-url-state.js";
import { ReasonEntries } from "./reason-entries.js";
import { ReasonList } from "./reason-list.js";

/** Entries that could not be applied: first by reason, then one by one. */
export function RefusedTab() {
  const [reason] = useUrlState("reason");
  const [code] = useUrlState("code");
  return reason === "" ? <ReasonList /> : <ReasonEntries code={code} reason={reason} />;
}
