import { Alert } from "@mantine/core";
import type { Overview } from "@muster/protocol/api/overview";
import { useEffect, useState } from "react";
import { useOrganization } from "../../api/session/use-organization.js";
import { formatCount } from "../../ui/text/format.js";
import { forgetWaiting, wasWaiting } from "./waiting.js";

/** Tells somebody who waited for the first record that it has arrived. */
export function FirstRecord({ overview }: { overview: Overview }) {
  const { id: org } = useOrganization();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    if (wasWaiting(org)) setShown(true);
    forgetWaiting();
  }, [org]);
  if (!isShown) return null;
  const what = [formatCount(overview.users, "user"), formatCount(overview.accounts, "account")].join(" and ");
  return (
    <Alert
      color="green"
      variant="light"
      mb="md"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => setShown(false)}
      role="status"
      title="Your first record has arrived"
    >
      There are {what} now.
    </Alert>
  );
}
