import { Anchor } from "@mantine/core";
import { useDocumentTitle } from "@mantine/hooks";
import { EmptyState } from "../ui/page/empty-state.js";
import classes from "./shell/shell.module.css";

/** What an address outside of any organization shows at which there is nothing. */
export function NotFound() {
  return (
    <main>
      <NothingHere />
    </main>
  );
}

/** What an address of an organization shows at which there is nothing. The rail stays. */
export function NothingHere() {
  useDocumentTitle("Not found · Muster");
  return (
    <div className={classes.alone}>
      <EmptyState title="There is nothing at this address" level={1} action={<Anchor href="/">Go to the start</Anchor>}>
        The link may be old or mistyped, or you may not be a member of the organization that it belongs to.
      </EmptyState>
    </div>
  );
}
