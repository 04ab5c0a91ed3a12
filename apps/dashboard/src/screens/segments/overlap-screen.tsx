import { Button, Group, MultiSelect, Stack, Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useNavigate } from "@tanstack/react-router";
import { useSegmentOverlap } from "../../api/audience/use-segment-history.js";
import { subjectTypeOf, useSegments } from "../../api/audience/use-segments.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { predicateFilter } from "../../filters/draft-filter.js";
import { NEW_SEGMENT, newDraftId, newDraftNumber, storeDraft } from "../../filters/draft-store.js";
import { filterSearch, regionFilter } from "../../filters/filter-link.js";
import { ShareBar } from "../../ui/charts/share-bar.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { TextLink } from "../../ui/page/text-link.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { formatCount } from "../../ui/text/format.js";
import { regionName } from "./region-name.js";
import classes from "./segments.module.css";
import { TargetControl } from "./target-control.js";

const MOST = 3;

/** Who is in two or three segments: the size of each region, and a way to its people. */
export function OverlapScreen() {
  const { id: org } = useOrganization();
  const mayEdit = useMay("editor");
  const navigate = useNavigate();
  const [of, setOf] = useUrlState("of", "user");
  const [chosen, setChosen] = useUrlState("segments", "");
  const { data: segments } = useSegments({ isLive: false });
  const target: SubjectType = of === "account" ? "account" : "user";
  const own = (segments ?? []).filter((segment) => subjectTypeOf(segment) === target);
  const ids = chosen.split(",").filter((id) => own.some((segment) => segment.id === id));
  const { data, error, refetch, isPlaceholderData } = useSegmentOverlap(ids);
  const nameOf = (id: string) => own.find((segment) => segment.id === id)?.name ?? id;
  const filterOf = (inside: readonly string[]) =>
    regionFilter(
      inside,
      ids.filter((id) => !inside.includes(id)),
      target,
    );
  const build = (inside: readonly string[]) => {
    const number = newDraftNumber();
    storeDraft(org, newDraftId(target, number), {
      name: regionName(inside, ids, nameOf),
      filter: predicateFilter(filterOf(inside)),
    });
    void navigate({
      to: "/o/$org/segments/$id",
      params: { org, id: NEW_SEGMENT },
      search: { of: target, draft: number },
    });
  };
  const highest = Math.max(1, ...(data?.regions.map(({ count }) => count) ?? []));
  return (
    <Page title="Overlap of segments">
      <Stack gap="lg" maw={820}>
        <Group align="flex-end">
          <TargetControl value={of} onChange={setOf} />
          <MultiSelect
            label="Two or three segments"
            className={classes.chosen}
            data={own.map(({ id, name }) => ({ value: id, label: name }))}
            value={ids}
            maxValues={MOST}
            searchable
            selectFirstOptionOnChange
            onChange={(next) => setChosen(next.join(","))}
          />
        </Group>
        {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
        {!segments || (ids.length > 1 && !data && !error) ? <PageSkeleton lines={3} /> : null}
        {segments && ids.length < 2 ? (
          <EmptyState title="Choose two or three segments">
            You see how many are in one of them alone, and how many are in several.
          </EmptyState>
        ) : null}
        {data && ids.length > 1 ? (
          <ul className={classes.sample} aria-label="Regions" data-outdated={isPlaceholderData || undefined}>
            {data.regions.map(({ segment_ids: inside, count }) => {
              const name = regionName(inside, ids, nameOf);
              return (
                <li key={inside.join()} data-testid="overlap-region">
                  <div className={classes.version}>
                    <Text>{name}</Text>
                    <ShareBar share={count / highest} label={formatCount(count, target)} />
                  </div>
                  <Group gap="xs">
                    <TextLink
                      to={target === "user" ? "/o/$org/users" : "/o/$org/accounts"}
                      params={{ org }}
                      search={filterSearch(filterOf(inside))}
                      aria-label={`Show ${formatCount(count, target)}: ${name}`}
                    >
                      Show
                    </TextLink>
                    <Button
                      variant="default"
                      disabled={!mayEdit}
                      onClick={() => build(inside)}
                      aria-label={`New segment: ${name}`}
                    >
                      New segment
                    </Button>
                  </Group>
                </li>
              );
            })}
          </ul>
        ) : null}
        {data && ids.length > 1 ? <Text c="dimmed">Of {formatCount(data.total, target)} in all.</Text> : null}
      </Stack>
    </Page>
  );
}
