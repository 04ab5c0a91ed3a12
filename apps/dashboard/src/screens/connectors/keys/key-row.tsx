import { ActionIcon, Button, Group, Menu, Text } from "@mantine/core";
import type { WriteKey } from "@muster/protocol/api/write-keys";
import { KebabHorizontalIcon } from "@primer/octicons-react";
import { useState } from "react";
import { CodeBlock } from "../../../ui/code/code-block.js";
import { GuideLink } from "../../../ui/page/guide-link.js";
import { StatusDot } from "../../../ui/text/status-dot.js";
import { TimeText } from "../../../ui/text/time-text.js";
import classes from "./keys.module.css";
import { firstCall, pageSnippet } from "./ready-lines.js";

interface KeyRowProps {
  writeKey: WriteKey;
  mayChange: boolean;
  onAsk: (what: "edit" | "roll" | "delete") => void;
}

/** One write key: who may use it, when it was used, its text, and a line to try it with. */
export function KeyRow({ writeKey, mayChange, onAsk }: KeyRowProps) {
  const { name, kind, key, trust_identify: isTrusted, last_used_at: lastUsedAt } = writeKey;
  // Somebody comes to an unused key to use it.
  const [isShown, setShown] = useState(lastUsedAt === null);
  return (
    <li className={classes.row}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <div className={classes.grow}>
          <Text fw={500}>{name}</Text>
          <Text c="dimmed">
            {kind === "page"
              ? `Page key, public. Works ${placesOf(writeKey)}.`
              : "Server key, secret. Never put it on a website or into an app."}
          </Text>
        </div>
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon color="gray" aria-label={`More actions for ${name}`}>
              <KebabHorizontalIcon size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {mayChange ? null : <Menu.Label>Only owners can do this</Menu.Label>}
            <Menu.Item disabled={!mayChange} onClick={() => onAsk("edit")}>
              Edit
            </Menu.Item>
            <Menu.Item disabled={!mayChange} onClick={() => onAsk("roll")}>
              Replace
            </Menu.Item>
            <Menu.Item disabled={!mayChange} color="red" onClick={() => onAsk("delete")}>
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
      {isTrusted ? <StatusDot status="late">Whoever reads this key can write as any of your users.</StatusDot> : null}
      {lastUsedAt === null ? (
        <StatusDot status="unknown">Never used</StatusDot>
      ) : (
        <StatusDot status="good">
          Last used <TimeText time={lastUsedAt} />
        </StatusDot>
      )}
      {key === null ? <Text c="dimmed">Only owners see server keys.</Text> : null}
      {key !== null && (isShown || kind === "page") ? <CodeBlock text={key} label={`the key ${name}`} /> : null}
      {key !== null && isShown ? <HowToUse writeKey={writeKey} text={key} /> : null}
      {key === null ? null : (
        <div>
          <Button variant="default" size="xs" onClick={() => setShown(!isShown)}>
            {kind === "server"
              ? isShown
                ? "Hide key"
                : "Show key"
              : isShown
                ? "Hide how to use it"
                : "Show how to use it"}
          </Button>
        </div>
      )}
    </li>
  );
}

/** A line or a snippet that works as it is, and where the guide goes on. */
function HowToUse({ writeKey: { kind, domains }, text }: { writeKey: WriteKey; text: string }) {
  const url = window.location.origin;
  const guide = <GuideLink page="analytics-sdks">how to set an SDK up</GuideLink>;
  if (kind === "server") {
    return (
      <>
        <Text>Try it in a terminal. It records an event of a user:</Text>
        <CodeBlock text={firstCall(url, text)} label="the command" />
        <Text>In a program, use a public SDK of its language: {guide}.</Text>
      </>
    );
  }
  if (domains.length === 0) return <Text>Give it to a public SDK in your app: {guide}.</Text>;
  return (
    <>
      <Text>Paste this into the head of every page:</Text>
      <CodeBlock text={pageSnippet(url, text)} label="the snippet" />
      <Text>With a bundler or in an app, use a public SDK: {guide}.</Text>
    </>
  );
}

function placesOf({ domains, apps }: WriteKey): string {
  return [
    ...(domains.length > 0 ? [`on pages of ${domains.join(", ")}`] : []),
    ...(apps.length > 0 ? [`in ${apps.join(", ")}`] : []),
  ].join(" and ");
}
