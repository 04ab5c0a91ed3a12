import { Button, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { useState } from "react";
import { namelessWords } from "../../api/audience/subject-name.js";
import { useSegmentMoves } from "../../api/audience/use-segment-history.js";
import { subjectTypeOf } from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { TextLink } from "../../ui/page/text-link.js";
import { TimeText } from "../../ui/text/time-text.js";
import classes from "./segments.module.css";

/** Who entered and who left, and when. */
export function MovesList({ segment }: { segment: Segment }) {
  const { id: org } = useOrganization();
  const [which, setWhich] = useState<"all" | "entered" | "left">("all");
  const moves = useSegmentMoves(segment.id, which === "all" ? undefined : which);
  const rows = moves.data?.pages.flatMap(({ data }) => data) ?? [];
  const to = subjectTypeOf(segment) === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id";
  return (
    <section aria-label="Who entered and left">
      <Group justify="space-between" mb="xs">
        <Title order={2}>Who entered, who left</Title>
        <SegmentedControl
          aria-label="Which moves"
          data={[
            { value: "all", label: "All" },
            { value: "entered", label: "Entered" },
            { value: "left", label: "Left" },
          ]}
          value={which}
          // The choices are these three.
          onChange={(next) => setWhich(next as typeof which)}
        />
      </Group>
      {moves.error ? <ErrorNote error={moves.error} onRetry={() => void moves.refetch()} /> : null}
      {moves.isSuccess && rows.length === 0 ? <Text c="dimmed">Nobody so far.</Text> : null}
      <Stack gap="xs">
        <ul className={classes.sample}>
          {rows.map(({ action, at, subject }) => (
            <li key={`${at} ${subject.id} ${action}`}>
              <span>
                <span className={action === "entered" ? classes.entering : classes.leaving}>
                  {action === "entered" ? "entered" : "left"}
                </span>{" "}
                <TextLink to={to} params={{ org, id: subject.id }} search={{ panel: `why:${segment.id}` }}>
                  {subject.name ?? namelessWords(subject.id)}
                </TextLink>
              </span>
              <Text component="span" c="dimmed">
                <TimeText time={at} />
              </Text>
            </li>
          ))}
        </ul>
        {moves.hasNextPage ? (
          <Button
            variant="default"
            loading={moves.isFetchingNextPage}
            onClick={() => void moves.fetchNextPage()}
            style={{ alignSelf: "flex-start" }}
          >
            Show more
          </Button>
        ) : null}
      </Stack>
    </section>
  );
}
