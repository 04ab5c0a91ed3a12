import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { subjectName } from "../../api/audience/subject-name.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { TextLink } from "../../ui/page/text-link.js";

interface SubjectLinkProps {
  report: Report;
  subjectType: SubjectType;
  /** A segment: the page then opens with why the person is in it or not. */
  explained?: string | undefined;
}

/** The name of a user or account, which leads to its page. */
export function SubjectLink({ report, subjectType, explained }: SubjectLinkProps) {
  const { id: org } = useOrganization();
  return (
    <TextLink
      to={subjectType === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id"}
      params={{ org, id: report.id }}
      search={explained === undefined ? {} : { panel: `why:${explained}` }}
    >
      {subjectName(report)}
    </TextLink>
  );
}
