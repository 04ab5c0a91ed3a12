import { Button, Tooltip } from "@mantine/core";
import type { ListedPlatform } from "@muster/protocol/api/platforms";
import { PlusIcon } from "@primer/octicons-react";
import { useNavigate } from "@tanstack/react-router";
import { usePlatforms } from "../../api/organization/use-platforms.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { TextLink } from "../../ui/page/text-link.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { type DataColumn, DataTable } from "../../ui/table/data-table.js";
import { TimeText } from "../../ui/text/time-text.js";
import { NewPlatform } from "./new-platform.js";
import { OWNERS_ONLY } from "./owners-only.js";

const COLUMNS: readonly DataColumn<ListedPlatform>[] = [
  { id: "name", header: "Name", width: 220, cell: ({ id, name }) => <PlatformLink id={id} name={name} /> },
  {
    id: "last",
    header: "Last record",
    width: 160,
    cell: ({ last_record_at }) => <TimeText time={last_record_at} />,
  },
  {
    id: "domains",
    header: "Allowed domains",
    width: 340,
    cell: ({ domains }) => (domains.length > 0 ? domains.join(", ") : "none: no page may use it"),
  },
  { id: "created", header: "Created", width: 160, cell: ({ created_at }) => <TimeText time={created_at} /> },
];

/** The websites and apps that use the browser library. */
export function PlatformsScreen() {
  const { id: org } = useOrganization();
  const mayChange = useMay("owner");
  const navigate = useNavigate();
  const [isNew, setNew] = useUrlState("new");
  const { data, error, refetch } = usePlatforms();
  const open = (id: string) => void navigate({ to: "/o/$org/platforms/$id", params: { org, id } });
  const create = (
    <Tooltip label={OWNERS_ONLY} disabled={mayChange}>
      <Button leftSection={<PlusIcon size={14} />} onClick={() => setNew("1")} disabled={!mayChange}>
        Create platform
      </Button>
    </Tooltip>
  );
  return (
    <Page title="Platforms" actions={data?.length ? create : null} fills>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data?.length === 0 ? (
        <EmptyState title="No website sends records yet" action={create}>
          A platform is a website or app that uses the browser library. It gives you a script tag for its pages.
          Visitors become users, and what they do become events.
        </EmptyState>
      ) : null}
      {data?.length ? (
        <DataTable
          label="Platforms"
          columns={COLUMNS}
          rows={data}
          rowKey={({ id }) => id}
          onOpen={({ id }) => open(id)}
        />
      ) : error || data ? null : (
        <PageSkeleton />
      )}
      <NewPlatform isOpen={isNew !== "" && mayChange} onClose={() => setNew(undefined)} onCreated={open} />
    </Page>
  );
}

function PlatformLink({ id, name }: { id: string; name: string }) {
  const { id: org } = useOrganization();
  return (
    <TextLink to="/o/$org/platforms/$id" params={{ org, id }}>
      {name}
    </TextLink>
  );
}
