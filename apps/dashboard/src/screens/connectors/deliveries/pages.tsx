import "@mantine/core/styles/Pagination.css";
import { Group, Pagination, Text } from "@mantine/core";
import { formatNumber } from "../../../ui/text/format.js";

interface PagesProps {
  page: number;
  perPage: number;
  total: number;
  onChange: (page: number) => void;
  /** More than this are not counted. */
  mostCounted?: number;
}

/** Leads through a list page by page. */
export function Pages({ page, perPage, total, onChange, mostCounted = Number.POSITIVE_INFINITY }: PagesProps) {
  if (total <= perPage) return null;
  const first = (page - 1) * perPage + 1;
  return (
    <Group justify="space-between" mt="xs">
      <Text c="dimmed">
        {formatNumber(first)} to {formatNumber(Math.min(total, page * perPage))} of {formatNumber(total)}
        {total >= mostCounted ? " or more" : ""}
      </Text>
      <Pagination
        size="xs"
        total={Math.ceil(total / perPage)}
        value={page}
        onChange={onChange}
        getControlProps={(control) => ({ "aria-label": `Go to the ${control} page` })}
        getItemProps={(number) => ({ "aria-label": `Page ${number}` })}
      />
    </Group>
  );
}
