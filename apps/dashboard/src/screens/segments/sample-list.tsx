import { Text } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { subjectNames } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { formatNumber } from "../../ui/text/format.js";
import classes from "./segments.module.css";
import { SubjectLink } from "./subject-link.js";

interface SampleListProps {
  reports: readonly Report[];
  total: number;
  subjectType: SubjectType;
  /** The saved segment whose clauses the page of the person explains. */
  explained: string | undefined;
}

/** Some of those who are selected, the newest first. */
export function SampleList({ reports, total, subjectType, explained }: SampleListProps) {
  if (reports.length === 0) return <Text c="dimmed">Nobody.</Text>;
  return (
    <>
      <ul className={classes.sample} data-testid="segment-sample">
        {reports.map((report) => (
          <li key={report.id}>
            <SubjectLink report={report} subjectType={subjectType} explained={explained} />
            <Text component="span" c="dimmed" className={classes.person}>
              {subjectNames(report)[1] ?? ""}
            </Text>
          </li>
        ))}
      </ul>
      {total > reports.length ? (
        <Text c="dimmed" size="xs">
          The newest {reports.length} of {formatNumber(total)}
        </Text>
      ) : null}
    </>
  );
}
