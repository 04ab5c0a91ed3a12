import { Button, Group, Text } from "@mantine/core";
import { useState } from "react";
import { useConnectorPages } from "../../api/connectors/use-connectors.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import type { ControlProps } from "../control-props.js";
import { useFormContext } from "../form-context.js";

/**
 * Signs in to another service, on the connector's page in a window of its own. The browser keeps the two windows apart, so
 * nothing tells this one about the end; the form sees it when the connector stores what it got.
 */
export function SignInControl({ setting, value, isDisabled }: ControlProps) {
  const { connectorId, mayOpenPages, version } = useFormContext();
  const [startedAt, setStartedAt] = useState<string>();
  const pages = useConnectorPages(connectorId, mayOpenPages);
  const { url, options, title } = setting;
  const page = pages.data?.find((one) => one.kind === "oauth" && hasPath(one.url, url));
  const isWaiting = startedAt !== undefined && startedAt === version;
  const isSignedIn = value !== undefined && value !== null && value !== "";
  const service = options.serviceName ?? title;
  const open = () => {
    if (!page) return;
    const opened = window.open("", "_blank", "popup,width=720,height=800");
    if (!opened) return;
    // The page of the connector must not be able to send this window elsewhere.
    opened.opener = null;
    opened.location.href = page.url;
    setStartedAt(version);
  };
  return (
    <Group gap="sm">
      <Button variant="default" disabled={isDisabled || !page} onClick={open}>
        {isSignedIn ? `Sign in to ${service} again` : `Sign in to ${service}`}
      </Button>
      <Text c="dimmed" role="status">
        {stateOf({ isWaiting, isSignedIn, hasEnded: startedAt !== undefined && !isWaiting, mayOpenPages })}
      </Text>
      {pages.isError ? <ErrorNote error={pages.error} onRetry={() => void pages.refetch()} /> : null}
    </Group>
  );
}

function stateOf(state: { isWaiting: boolean; isSignedIn: boolean; hasEnded: boolean; mayOpenPages: boolean }): string {
  if (!state.mayOpenPages) return "Only owners can sign in: the page's address holds the connector's secret.";
  if (state.isWaiting) return "Go on in the other window. This page changes when the connector has an answer.";
  if (state.isSignedIn) return "Signed in.";
  return state.hasEnded ? "The connector has stored an answer." : "";
}

/** Whether an address is that of a path of the connector, wherever the connector's root is. */
function hasPath(address: string, path: string | undefined): boolean {
  if (path === undefined) return false;
  const { pathname } = new URL(address);
  return pathname.endsWith(`/${path.replace(/^\/+/, "").split("?")[0]}`);
}
