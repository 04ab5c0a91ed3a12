import { Anchor } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { Link } from "@tanstack/react-router";
import { EmptyState } from "../../ui/page/empty-state.js";
import { GuideLink } from "../../ui/page/guide-link.js";

interface NobodyFoundProps {
  target: SubjectType;
  isFiltered: boolean;
  org: string;
}

/** Why the list is empty, and what to do next. */
export function NobodyFound({ target, isFiltered, org }: NobodyFoundProps) {
  if (isFiltered) {
    return (
      <EmptyState title={`No ${target} matches`}>
        Every word must be the beginning of a word in a name, an address or an ID. Use fewer words, or remove a filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      title={`There are no ${target}s yet`}
      action={
        <Anchor renderRoot={(props) => <Link {...props} to="/o/$org/import" params={{ org }} />}>Import a file</Anchor>
      }
    >
      They appear here as soon as a website, a connector or an import sends a record.{" "}
      <GuideLink page="sending-data">Read how to send one</GuideLink>
    </EmptyState>
  );
}
