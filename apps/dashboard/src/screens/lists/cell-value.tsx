import { Badge, Group, Text } from "@mantine/core";
import type { Report } from "@muster/protocol/api/subjects";
import { Link } from "@tanstack/react-router";
import { subjectName } from "../../api/audience/subject-name.js";
import { formatNumber, formatRelative, formatTime } from "../../ui/text/format.js";

/** The value of a field of a report; fields of the account of a user begin with `account.`. */
export function fieldOf(report: Report, key: string): unknown {
  if (!key.startsWith("account.")) return report[key];
  const account = report.account as Record<string, unknown> | null | undefined;
  return account?.[key.slice("account.".length)];
}

/** The value as a text to copy. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  return Array.isArray(value) ? value.map(textOf).join(", ") : JSON.stringify(value);
}

/** The account of a user, if there is one. */
export function accountOf(report: Report): Report | undefined {
  return (report.account as Report | null | undefined) ?? undefined;
}

interface CellValueProps {
  report: Report;
  field: string;
  type: string;
  org: string;
  segmentName: (id: string) => string | undefined;
}

/** A cell of a list: the value in the form of its type. */
export function CellValue({ report, field, type, org, segmentName }: CellValueProps) {
  if (field === "account") return <AccountLink account={accountOf(report)} org={org} />;
  const value = fieldOf(report, field);
  if (value === undefined || value === null || value === "") return null;
  if (field === "segment_ids" && Array.isArray(value)) {
    return (
      <Group gap={4} wrap="nowrap" component="span">
        {value.map((id) => (
          <Badge key={String(id)} component="span" color="gray">
            {segmentName(String(id)) ?? String(id)}
          </Badge>
        ))}
      </Group>
    );
  }
  if (type === "date" && typeof value === "string") {
    return (
      <time dateTime={value} title={formatTime(value)}>
        {formatRelative(value)}
      </time>
    );
  }
  if (typeof value === "number") return formatNumber(value);
  if (typeof value === "boolean") return value ? "yes" : "no";
  return textOf(value);
}

function AccountLink({ account, org }: { account: Report | undefined; org: string }) {
  if (!account) return null;
  return (
    <Link to="/o/$org/accounts/$id" params={{ org, id: account.id }} onClick={(event) => event.stopPropagation()}>
      {subjectName(account)}
    </Link>
  );
}

/** The first cell of a row: a link to the user or account, also when the value of the column is missing. */
export function LeadingCell({ report, field, target, org }: CellValueProps & { target: "user" | "account" }) {
  const value = textOf(fieldOf(report, field));
  const path = target === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id";
  return (
    <Link to={path} params={{ org, id: report.id }} onClick={(event) => event.stopPropagation()}>
      {value === "" ? (
        <Text component="span" inherit fs="italic">
          {subjectName(report)}
        </Text>
      ) : (
        value
      )}
    </Link>
  );
}
