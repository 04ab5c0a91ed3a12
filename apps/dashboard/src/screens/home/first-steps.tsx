import { Button, Code, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import { useOrganization } from "../../api/session/use-organization.js";
import { CodeBlock } from "../../ui/code/code-block.js";
import { firstRecordCommand } from "./first-record-command.js";
import classes from "./first-steps.module.css";
import { noteWaiting } from "./waiting.js";

/** Ways to send a first record, for an organization without any. */
export function FirstSteps({ connectors }: { connectors: readonly { id: string }[] }) {
  const { id: org, namespace } = useOrganization();
  useEffect(() => noteWaiting(org), [org]);
  const command = firstRecordCommand({
    url: window.location.origin,
    namespace,
    connectorIds: connectors.map(({ id }) => id),
  });
  return (
    <div className={classes.steps}>
      <p className={classes.waiting} role="status">
        <span className={classes.pulse} aria-hidden />
        Waiting for your first record…
      </p>
      <Text c="dimmed" maw={620}>
        This organization has no data yet. Send something in one of these ways; this page changes as soon as it arrives.
        To look around first, run <Code>npx muster demo</Code> in the folder of the server: it fills another
        organization with a made-up company.
      </Text>
      <div className={classes.ways}>
        <section className={classes.way}>
          <Title order={2}>From your code</Title>
          <Text>
            A source gives you a write key: send a record with one line of curl, or use a public analytics SDK in your
            website, app or server.
          </Text>
          <Button component={Link} to={`/o/${org}/connectors?new=source`} variant="default">
            Add a source
          </Button>
        </section>
        <section className={classes.way}>
          <Title order={2}>From a terminal</Title>
          <Text>On the machine of the server, in its folder. It sets attributes of a user.</Text>
          <CodeBlock text={command} label="the command" />
        </section>
        <section className={classes.way}>
          <Title order={2}>From a website</Title>
          <Text>
            A platform gives you a script tag for the pages of a site. Visitors become users, and what they do becomes
            events.
          </Text>
          <Button component={Link} to={`/o/${org}/platforms?new=1`} variant="default">
            Create a platform
          </Button>
        </section>
        <section className={classes.way}>
          <Title order={2}>From a file</Title>
          <Text>A CSV file, or JSON with one user a line. You see what will happen before anything is changed.</Text>
          <Button component={Link} to={`/o/${org}/import`} variant="default">
            Import a file
          </Button>
        </section>
      </div>
    </div>
  );
}
