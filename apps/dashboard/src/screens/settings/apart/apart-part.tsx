import { Button, Stack, Table, Text } from "@mantine/core";
import type { DoNotMerge } from "@muster/protocol/api/merges";
import { useState } from "react";
import { useAllowMerge, useKeptApart } from "../../../api/audience/use-kept-apart.js";
import { useSubjectNames } from "../../../api/audience/use-subject-names.js";
import { useMay, useOrganization } from "../../../api/session/use-organization.js";
import { ConfirmDialog } from "../../../ui/notes/confirm-dialog.js";
import { notifyDone } from "../../../ui/notes/notify-done.js";
import { EmptyState } from "../../../ui/page/empty-state.js";
import { ErrorNote } from "../../../ui/page/error-note.js";
import { GuideLink } from "../../../ui/page/guide-link.js";
import { PageSkeleton } from "../../../ui/page/skeleton.js";
import { TextLink } from "../../../ui/page/text-link.js";
import stacked from "../../../ui/table/stacked-table.module.css";
import { TimeText } from "../../../ui/text/time-text.js";

/** Users and accounts that are not merged again, because somebody has undone their merge. */
export default function ApartPart() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useKeptApart();
  const mayEdit = useMay("editor");
  const allow = useAllowMerge();
  const [asked, setAsked] = useState<DoNotMerge>();
  const decisions = data?.pages.flat();
  const names = useSubjectNames(decisions?.flatMap(({ subject_ids }) => subject_ids) ?? []);
  const nameOf = (id: string) => names.get(id) ?? id;
  const pairOf = ({ subject_ids }: DoNotMerge) => subject_ids.map(nameOf).join(" and ");
  return (
    <Stack gap="md" maw={860}>
      <Text>
        Somebody has undone the merge of these users and accounts. A record that names both does not merge them again:
        it is applied to the one that it finds. <GuideLink page="identity">How it works</GuideLink>
      </Text>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {decisions || error ? null : <PageSkeleton lines={4} />}
      {decisions?.length === 0 ? (
        <EmptyState title="Nobody is kept apart">
          “Undo this merge”, under Identity on the page of a user or account, adds the two to this list.
        </EmptyState>
      ) : null}
      {decisions?.length ? (
        <Table aria-label="Not merged again" className={stacked.table}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Who</Table.Th>
              <Table.Th w={110}>Kind</Table.Th>
              <Table.Th w={130}>Since</Table.Th>
              {mayEdit ? <Table.Th w={140}>Decision</Table.Th> : null}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {decisions.map((decision) => (
              <Table.Tr key={decision.id}>
                <Table.Td>
                  <Pair decision={decision} nameOf={nameOf} />
                </Table.Td>
                <Table.Td>{decision.type === "user" ? "Users" : "Accounts"}</Table.Td>
                <Table.Td data-label="Since">
                  <TimeText time={decision.created_at} />
                </Table.Td>
                {mayEdit ? (
                  <Table.Td>
                    <Button
                      variant="default"
                      aria-label={`Remove the decision about ${pairOf(decision)}`}
                      onClick={() => setAsked(decision)}
                    >
                      Remove
                    </Button>
                  </Table.Td>
                ) : null}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      ) : null}
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show earlier decisions
        </Button>
      ) : null}
      <ConfirmDialog
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title="Remove the decision"
        action="Remove the decision"
        isDestructive={false}
        onConfirm={async () => {
          if (!asked) return;
          await allow.mutateAsync(asked.id);
          notifyDone(`${pairOf(asked)} may be merged again`);
        }}
      >
        {asked ? `${pairOf(asked)} stay two ${asked.type}s until a record names both. That record merges them.` : null}
      </ConfirmDialog>
    </Stack>
  );
}

function Pair({ decision, nameOf }: { decision: DoNotMerge; nameOf: (id: string) => string }) {
  const { id: org } = useOrganization();
  const to = decision.type === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id";
  return decision.subject_ids.map((id, index) => (
    <span key={id}>
      {index === 0 ? null : " and "}
      <TextLink to={to} params={{ org, id }}>
        {nameOf(id)}
      </TextLink>
    </span>
  ));
}
