import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { subjectNames } from "@muster/protocol";
import type { InsightQuestion } from "@muster/protocol/api/insights";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { subjectName } from "../../api/audience/subject-name.js";
import { useInsightSegment, useInsightUsers } from "../../api/audience/use-insights.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import type { ChosenNumber } from "../../insights/number-button.js";
import { notifyWhenDone } from "../../ui/notes/notify-done.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { SidePanel } from "../../ui/page/side-panel.js";
import { TextLink } from "../../ui/page/text-link.js";
import classes from "./insights-screen.module.css";

interface PeoplePanelProps {
  /** The number, and the question that it answers. */
  chosen: (ChosenNumber & { asked: InsightQuestion }) | undefined;
  onClose: () => void;
}

/** The users behind a number. */
export function PeoplePanel({ chosen, onClose }: PeoplePanelProps) {
  return (
    <SidePanel title={chosen?.title} onClose={onClose}>
      {chosen ? <People key={chosen.title} question={chosen.asked} chosen={chosen} /> : null}
    </SidePanel>
  );
}

function People({ question, chosen: { number } }: { question: InsightQuestion; chosen: ChosenNumber }) {
  const { id: org } = useOrganization();
  const { data, error, refetch, hasNextPage, isFetching, fetchNextPage } = useInsightUsers(question, number);
  const users = data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <Stack>
      <NewSegment question={question} number={number} />
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      <ul className={classes.people} aria-label="Users behind the number">
        {users.map((report) => (
          <li key={report.id}>
            <TextLink to="/o/$org/users/$id" params={{ org, id: report.id }}>
              {subjectName(report)}
            </TextLink>{" "}
            <Text component="span" c="dimmed">
              {subjectNames(report)[1] ?? ""}
            </Text>
          </li>
        ))}
      </ul>
      {data && users.length === 0 ? <Text c="dimmed">Nobody.</Text> : null}
      {hasNextPage ? (
        <Group>
          <Button variant="default" loading={isFetching} onClick={() => void fetchNextPage()}>
            Show more
          </Button>
        </Group>
      ) : null}
    </Stack>
  );
}

/** Makes a segment of exactly these users. */
function NewSegment({ question, number }: { question: InsightQuestion } & Pick<ChosenNumber, "number">) {
  const { id: org } = useOrganization();
  const mayChange = useMay("editor");
  const navigate = useNavigate();
  const make = useInsightSegment();
  const [name, setName] = useState("");
  // Somebody who has closed the panel meanwhile stays where they are.
  const open = ({ id }: { id: string }) => void navigate({ to: "/o/$org/segments/$id", params: { org, id } });
  const submit = () => {
    const made = make.mutateAsync({ question, number, name: name.trim() }, { onSuccess: open });
    notifyWhenDone(made, (segment) => `Segment ${segment.name} created`);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") submit();
      }}
    >
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Segment of these users"
          description="It names the users of this moment and does not change by itself."
          placeholder="Name of the segment"
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          disabled={!mayChange}
          className={classes.segmentName}
        />
        <Button type="submit" loading={make.isPending} disabled={!mayChange || name.trim() === ""}>
          Create segment
        </Button>
      </Group>
      {make.error ? <ErrorNote error={make.error} /> : null}
    </form>
  );
}
