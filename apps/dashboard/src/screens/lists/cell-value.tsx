import { Badge, Group, Text } from "@mantine/core";
import type { Report } from "@muster/protocol/api/subjects";
import { Link } from "@tanstack/react-router";
import { namelessWords } from "../../api/audience/nameless.js";
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

/** The name of an account, or what it is known by. */
export function nameOf(report: Record<string, unknown> | null | undefined): string | undefined {
  for (const key of ["name", "email", "domain", "external_id"]) {
    const value = report?.[key];
    if (typeof value === "string" && value !== "") return value;
  }
  return typeof report?.id === "string" ? namelessWords(report.id) : undefined;
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
  if (field === "account") return <AccountLink account={report.account} org={org} />;
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

function AccountLink({ account, org }: { account: unknown; org: string }) {
  const report = account as ({ id: string } & Record<string, unknown>) | null | undefined;
  if (!report) return null;
  return (
    <Link to="/o/$org/accounts/$id" params={{ org, id: report.id }} onClick={(event) => event.stopPropagation()}>
      {nameOf(report)}
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
          {nameOf(report)}
        </Text>
      ) : (
        value
      )}
    </Link>
  );
}
