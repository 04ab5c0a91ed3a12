import { List, Text } from "@mantine/core";
import type { Explanation } from "@muster/protocol/api/segments";
import { CheckCircleIcon, XCircleIcon } from "@primer/octicons-react";
import classes from "./clause-list.module.css";
import { clauseVerdict } from "./clause-verdict.js";

/** The clauses of a segment, each with whether it holds and the value it saw. */
export function ClauseList({ clauses }: { clauses: Explanation["clauses"] }) {
  if (clauses.length === 0) return <Text>The segment has no clauses: everybody is in it.</Text>;
  return (
    <List spacing="sm" listStyleType="none" aria-label="Clauses">
      {clauses.map((clause) => {
        const { isFulfilled, verdict, seen } = clauseVerdict(clause);
        const Icon = isFulfilled ? CheckCircleIcon : XCircleIcon;
        return (
          <List.Item
            key={clause.path}
            className={classes.clause}
            data-fulfilled={isFulfilled}
            icon={<Icon size={16} className={classes.icon} />}
          >
            <Text fw={500}>{clause.sentence}</Text>
            <Text c="dimmed" size="xs">
              <span className={classes.verdict}>{verdict}</span> {seen}
            </Text>
          </List.Item>
        );
      })}
    </List>
  );
}
