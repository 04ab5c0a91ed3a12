import type { Growth } from "@muster/protocol/api/overview";
import { useMemo } from "react";
import { useGrowth } from "../../api/organization/use-overview.js";
import { TimeChart } from "../../ui/charts/time-chart.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { formatNumber } from "../../ui/text/format.js";
import { Part } from "./part.js";

/** Users and accounts over ninety days. */
export function GrowthChart() {
  const { data, error, refetch } = useGrowth();
  return (
    <Part place="growth" title="Users and accounts" beside="90 days, by the day they were created">
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data ? <Chart growth={data} /> : null}
    </Part>
  );
}

function Chart({ growth: { users, accounts } }: { growth: Growth }) {
  const times = useMemo(() => users.map(({ at }) => Date.parse(at)), [users]);
  const series = useMemo(
    () => [
      { name: "Users", values: users.map(({ total }) => total) },
      { name: "Accounts", values: accounts.map(({ total }) => total), colour: "--late-fill" },
    ],
    [users, accounts],
  );
  const now = `${formatNumber(users.at(-1)?.total ?? 0)} users and ${formatNumber(accounts.at(-1)?.total ?? 0)} accounts`;
  return <TimeChart times={times} series={series} height={170} label={`Users and accounts by day: ${now} now`} />;
}
