import { Button, Group, SegmentedControl, Select, Text } from "@mantine/core";
import { PlusIcon } from "@primer/octicons-react";
import { Suspense, useMemo } from "react";
import { useAttributeFigures } from "../../api/audience/use-attributes.js";
import { useComputedAttributes } from "../../api/audience/use-computed-attributes.js";
import { useConnectorNames } from "../../api/connectors/use-connector-names.js";
import { useMay } from "../../api/session/use-organization.js";
import { EmptyState } from "../../ui/page/empty-state.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { Freshness } from "../../ui/page/freshness.js";
import { Page } from "../../ui/page/page.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { lazyPart } from "../../ui/state/lazy-part.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { DataTable } from "../../ui/table/data-table.js";
import { FilterBar } from "../../ui/table/filter-bar.js";
import { FilterInput } from "../../ui/table/filter-input.js";
import { useUrlSort } from "../../ui/table/use-url-sort.js";
import { formatCount } from "../../ui/text/format.js";
import { attributeColumns } from "./attribute-columns.js";
import { sortAttributes } from "./sort-attributes.js";
import { useSetFlag } from "./use-set-flag.js";
import { WaitingAttributes } from "./waiting-attributes.js";

const AttributePanel = lazyPart(() => import("./attribute-panel.js"), "AttributePanel");
const ComputedForm = lazyPart(() => import("./computed/computed-form.js"), "ComputedForm");
const DefineAttribute = lazyPart(() => import("./define-attribute.js"), "DefineAttribute");

/** What is known about users and accounts. */
export function AttributesScreen() {
  const [tab, setTab] = useUrlState("tab", "users");
  const [text] = useUrlState("q");
  const [shown, setShown] = useUrlState("shown", "all", { replace: true });
  const [opened, setOpened] = useUrlState("attribute");
  const [sort, setSort] = useUrlSort({ column: "filled", direction: "desc" });
  const [isDefining, setDefining] = useUrlState("define");
  const [computing, setComputing] = useUrlState("computed");
  const mayEdit = useMay("editor");
  const subjectType = tab === "accounts" ? "account" : "user";
  const { data, error, refetch } = useAttributeFigures(subjectType);
  const computed = useComputedAttributes(subjectType).data;
  const total = data?.total ?? 0;
  const connectorNames = useConnectorNames();
  const { set: setFlag, whyNot } = useSetFlag(subjectType);
  const columns = useMemo(
    () => attributeColumns({ subjectType, total, computed: computed ?? [], connectorNames, setFlag, whyNot }),
    [subjectType, total, computed, connectorNames, setFlag, whyNot],
  );
  const rows = useMemo(
    () => sortAttributes(data?.attributes ?? [], { text, shown, sort, computed: computed ?? [] }),
    [data, text, shown, sort, computed],
  );
  const edited = computed?.find(({ id }) => id === computing);
  return (
    <Page
      title="Attributes"
      fills
      beside={data ? <Freshness behindMs={data.isIncomplete ? undefined : data.age_ms} /> : null}
      actions={
        <>
          <Button
            variant="default"
            disabled={!mayEdit}
            title={mayEdit ? undefined : "Only editors and owners can add computed attributes."}
            onClick={() => {
              setOpened(undefined);
              setComputing("new");
            }}
          >
            Add a computed attribute
          </Button>
          <Button
            leftSection={<PlusIcon size={14} />}
            disabled={!mayEdit}
            title={mayEdit ? undefined : "Only editors and owners can define attributes."}
            onClick={() => setDefining("1")}
          >
            Define attribute
          </Button>
        </>
      }
    >
      <FilterBar>
        <SegmentedControl
          aria-label="Whose attributes"
          value={tab}
          onChange={setTab}
          data={[
            { value: "users", label: "Users" },
            { value: "accounts", label: "Accounts" },
          ]}
        />
        <FilterInput name="q" label="Find an attribute" w={220} />
        <Select
          aria-label="Which attributes"
          w={150}
          value={shown}
          onChange={(value) => setShown(value ?? undefined)}
          allowDeselect={false}
          data={[
            { value: "all", label: "All attributes" },
            { value: "custom", label: "Your own" },
            { value: "computed", label: "Computed" },
            { value: "standard", label: "Standard fields" },
            { value: "hidden", label: "Hidden" },
          ]}
        />
        {data ? (
          <Group gap="xs">
            <Text c="dimmed">
              {formatCount(rows.length, "attribute")} of {formatCount(total, subjectType)}
            </Text>
          </Group>
        ) : null}
      </FilterBar>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? <WaitingAttributes subjectType={subjectType} waiting={data.waiting} /> : null}
      {data ? (
        <DataTable
          label={`Attributes of ${tab}`}
          columns={columns}
          rows={rows}
          rowKey={({ key }) => key}
          onOpen={({ key }) => setOpened(key)}
          sort={sort}
          onSort={setSort}
          empty={
            <EmptyState title="No attribute fits">
              Attributes are defined by themselves when a record first carries them.
            </EmptyState>
          }
        />
      ) : error ? null : (
        <PageSkeleton />
      )}
      <Suspense>
        {isDefining !== "" && mayEdit ? (
          <DefineAttribute
            subjectType={subjectType}
            known={data?.attributes ?? []}
            opened
            onClose={() => setDefining(undefined)}
          />
        ) : null}
        {mayEdit && (computing === "new" || edited) ? (
          <ComputedForm
            key={computing}
            subjectType={subjectType}
            saved={edited}
            known={data?.attributes ?? []}
            onClose={() => setComputing(undefined)}
            onSaved={({ target, name }) => {
              setComputing(undefined);
              setTab(target === "user" ? "users" : "accounts");
              setOpened(target === "user" ? `traits_${name}` : name);
            }}
          />
        ) : null}
        {opened === "" || computing !== "" ? null : (
          <AttributePanel
            attribute={data?.attributes.find(({ key }) => key === opened)}
            computed={computed?.find(({ name }) =>
              data?.attributes.some((one) => one.key === opened && one.name === name),
            )}
            onEdit={setComputing}
            subjectType={subjectType}
            total={total}
            connectorNames={connectorNames}
            onClose={() => setOpened(undefined)}
          />
        )}
      </Suspense>
    </Page>
  );
}
