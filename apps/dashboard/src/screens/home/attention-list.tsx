import { Text } from "@mantine/core";
import type { AttentionItem } from "@muster/protocol/api/overview";
import { Link } from "@tanstack/react-router";
import { useOrganization } from "../../api/session/use-organization.js";
import { StatusDot } from "../../ui/text/status-dot.js";
import { actionOf } from "./attention-action.js";
import classes from "./list.module.css";
import { Part } from "./part.js";

/** What needs somebody, each with its action. */
export function AttentionList({ items }: { items: readonly AttentionItem[] }) {
  const { id: org } = useOrganization();
  return (
    <Part place="attention" title="Needs attention" beside={items.length > 0 ? items.length : null}>
      {items.length === 0 ? <Text c="dimmed">Nothing needs you.</Text> : null}
      <ul className={classes.list}>
        {items.map((item) => {
          const { label, to, id, tab } = actionOf(item);
          return (
            <li key={`${item.kind} ${item.ids.join()}`} className={classes.row}>
              <div className={classes.grow}>
                <StatusDot status={item.severity === "error" ? "bad" : "late"}>{item.message}</StatusDot>
              </div>
              <Link to={to} params={{ org, id: id ?? "" }} search={tab ? { tab } : {}} className={classes.action}>
                {label}
              </Link>
            </li>
          );
        })}
      </ul>
    </Part>
  );
}
