import type { Overview } from "@muster/protocol/api/overview";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useOrganization } from "../../api/session/use-organization.js";
import { formatDuration, formatNumber } from "../../ui/text/format.js";
import classes from "./figures.module.css";
import { worstLag } from "./worst-lag.js";

/** The line of figures at the top: people, accounts, records a second, and the slowest stage. */
export function Figures({ overview }: { overview: Overview }) {
  const { id: org } = useOrganization();
  const { users, accounts, intake, lag } = overview;
  const worst = worstLag(lag.stages);
  return (
    <dl className={classes.line}>
      <Figure name="Users">
        <Link to="/o/$org/users" params={{ org }} data-testid="figure-users">
          {formatNumber(users)}
        </Link>
      </Figure>
      <Figure name="Accounts">
        <Link to="/o/$org/accounts" params={{ org }} data-testid="figure-accounts">
          {formatNumber(accounts)}
        </Link>
      </Figure>
      <Figure name="Records a second" note="now, over 10 to 20 seconds">
        <Link to="/o/$org/events" params={{ org }} data-testid="figure-rate">
          {formatNumber(intake.per_second)}
        </Link>
      </Figure>
      <Figure name="Slowest stage" note={worst?.note ?? "no records for 5 minutes"}>
        <span data-testid="figure-lag">{worst ? formatDuration(worst.ms) : "–"}</span>
      </Figure>
    </dl>
  );
}

function Figure({ name, note, children }: { name: string; note?: string; children: ReactNode }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note ? <dd className={classes.note}>{note}</dd> : null}
    </div>
  );
}
