import type { SubjectType } from "@muster/protocol";
import type { Report } from "@muster/protocol/api/subjects";
import { namelessWords } from "../../api/audience/nameless.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { TextLink } from "../../ui/page/text-link.js";
import { firstText } from "./first-text.js";

interface SubjectLinkProps {
  report: Report;
  subjectType: SubjectType;
  /** A segment: the page then opens with why the person is in it or not. */
  explained?: string | undefined;
}

/** The name of a user or account, which leads to its page. */
export function SubjectLink({ report, subjectType, explained }: SubjectLinkProps) {
  const { id: org } = useOrganization();
  const { id, name, email, domain, external_id: externalId } = report;
  return (
    <TextLink
      to={subjectType === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id"}
      params={{ org, id }}
      search={explained === undefined ? {} : { panel: `why:${explained}` }}
    >
      {firstText([name, email, domain, externalId]) || namelessWords(id)}
    </TextLink>
  );
}
