import type { Overview } from "@muster/protocol/api/overview";
import { CheckCircleFillIcon, CircleIcon } from "@primer/octicons-react";
import { Link } from "@tanstack/react-router";
import { useSegments } from "../../api/audience/use-segments.js";
import { useMay, useOrganization } from "../../api/session/use-organization.js";
import classes from "./checklist.module.css";

interface Step {
  name: string;
  hint: string;
  isDone: boolean;
  to: "/o/$org/import" | "/o/$org/segments/$id" | "/o/$org/connectors";
  id?: string;
  search?: Record<string, string>;
}

/** The first steps of an organization. It goes away by itself after the first record, segment and connector. */
export function Checklist({ overview }: { overview: Overview }) {
  const { id: org } = useOrganization();
  const mayEdit = useMay("editor");
  const { data: segments } = useSegments({ isLive: false });
  const steps: Step[] = [
    {
      name: "Send a first record",
      hint: "from a terminal, a website or a file",
      isDone: overview.intake.any || overview.users + overview.accounts > 0,
      to: "/o/$org/import",
    },
    {
      name: "Make a segment",
      hint: "a group of people that stays up to date",
      isDone: (segments?.length ?? 0) > 0,
      to: "/o/$org/segments/$id",
      id: "new",
    },
    {
      name: "Install a connector",
      hint: "to bring data in or send it on",
      isDone: overview.connectors.some(({ receives }) => receives),
      to: "/o/$org/connectors",
      search: { view: "gallery" },
    },
  ];
  if (!mayEdit || !segments || steps.every(({ isDone }) => isDone)) return null;
  return (
    <section aria-label="First steps" className={classes.checklist}>
      <ol className={classes.steps}>
        {steps.map(({ name, hint, isDone, to, id = "", search = {} }) => (
          <li key={name} className={classes.step} data-done={isDone || undefined}>
            {isDone ? <CheckCircleFillIcon size={16} aria-label="Done" /> : <CircleIcon size={16} aria-label="To do" />}
            <span>
              {isDone ? (
                name
              ) : (
                <Link to={to} params={{ org, id }} search={search}>
                  {name}
                </Link>
              )}
              <span className={classes.hint}>{hint}</span>
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
