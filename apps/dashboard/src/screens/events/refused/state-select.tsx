import { Select } from "@mantine/core";
import { useUrlState } from "../../../ui/state/use-url-state.js";

/** Whether entries that wait, that were retried, or both are shown. In the address as `state`. */
export function StateSelect() {
  const [state, setState] = useUrlState("state", "waiting", { replace: true });
  return (
    <Select
      aria-label="Which entries"
      w={150}
      value={state}
      allowDeselect={false}
      onChange={(value) => setState(value ?? undefined)}
      data={[
        { value: "waiting", label: "Not retried" },
        { value: "retried", label: "Retried" },
        { value: "all", label: "All" },
      ]}
    />
  );
}

/** The condition that the state in the address means. */
export function useStateFilter(): { retried?: boolean } {
  const [state] = useUrlState("state", "waiting");
  return state === "all" ? {} : { retried: state === "retried" };
}
