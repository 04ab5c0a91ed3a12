import { Button, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { Segment } from "@muster/protocol/api/segments";
import { useState } from "react";
import { namelessWords } from "../../api/audience/subject-name.js";
import { useSegmentPast } from "../../api/audience/use-segment-history.js";
import { subjectTypeOf } from "../../api/audience/use-segments.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { MomentField } from "../../ui/form/moment-field.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { TextLink } from "../../ui/page/text-link.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import classes from "./segments.module.css";

type Who = "before" | "entered" | "left";

/** Who was in the segment at a moment, and who differs now. */
export function PastMembers({ segment }: { segment: Segment }) {
  const { id: org } = useOrganization();
  const [at, setAt] = useUrlState("at");
  const [who, setWho] = useState<Who>("before");
  const past = useSegmentPast(segment.id, at, who);
  const counts = past.data?.pages[0];
  const rows = past.data?.pages.flatMap(({ data }) => data) ?? [];
  const noun = subjectTypeOf(segment);
  const to = noun === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id";
  return (
    <section aria-label="Who was in it">
      <Title order={2} mb="xs">
        Who was in it
      </Title>
      <Stack gap="xs">
        <MomentField label="Members at" value={at} onChange={setAt} from={Date.parse(segment.created_at)} />
        {past.error ? <ErrorNote error={past.error} onRetry={() => void past.refetch()} /> : null}
        {at === "" ? (
          <Text c="dimmed">Choose a moment to see who was in the segment then, and who differs now.</Text>
        ) : null}
        {at !== "" && counts ? (
          <>
            <Text role="status">
              {formatCount(counts.before, noun)} then
              {counts.version === null ? "" : `, by version ${counts.version} of the definition`}.{" "}
              {formatNumber(counts.now)} now: {formatNumber(counts.entered)} are new, {formatNumber(counts.left)} are
              not in it any more.
            </Text>
            <Group>
              <SegmentedControl
                aria-label="Whom to list"
                data={[
                  { value: "before", label: "In it then" },
                  { value: "entered", label: "New since" },
                  { value: "left", label: "Left since" },
                ]}
                value={who}
                // The choices are these three.
                onChange={(next) => setWho(next as Who)}
              />
            </Group>
            {rows.length === 0 ? <Text c="dimmed">Nobody.</Text> : null}
            <ul className={classes.sample}>
              {rows.map(({ id, name }) => (
                <li key={id}>
                  <TextLink to={to} params={{ org, id }} search={{ at }}>
                    {name ?? namelessWords(id)}
                  </TextLink>
                </li>
              ))}
            </ul>
            {past.hasNextPage ? (
              <Button
                variant="default"
                loading={past.isFetchingNextPage}
                onClick={() => void past.fetchNextPage()}
                style={{ alignSelf: "flex-start" }}
              >
                Show more
              </Button>
            ) : null}
          </>
        ) : null}
      </Stack>
    </section>
  );
}
