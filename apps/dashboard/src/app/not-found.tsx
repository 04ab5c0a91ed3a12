import { Anchor } from "@mantine/core";
import { EmptyState } from "../ui/page/empty-state.js";

/** What an address shows at which there is nothing. */
export function NotFound() {
  return (
    <EmptyState title="There is nothing at this address">
      The link may be old, or you may not be a member of the organization that it belongs to.{" "}
      <Anchor href="/">Go to the start</Anchor>
    </EmptyState>
  );
}
