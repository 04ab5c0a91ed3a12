import { SegmentedControl } from "@mantine/core";
import type { SubjectType } from "@muster/protocol";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useEffect } from "react";
import { subjectName } from "../../api/audience/subject-name.js";
import { useSubject } from "../../api/audience/use-subject.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { Page } from "../../ui/page/page.js";
import { ScreenError } from "../../ui/page/screen-error.js";
import { PageSkeleton } from "../../ui/page/skeleton.js";
import { useUrlState } from "../../ui/state/use-url-state.js";
import { SubjectActions } from "./actions/subject-actions.js";
import { AttributeList } from "./attributes/attribute-list.js";
import { AccountUsers } from "./header/account-users.js";
import { SubjectHeader } from "./header/subject-header.js";
import classes from "./subject.module.css";
import { SubjectPanel } from "./subject-panel.js";
import { Timeline } from "./timeline/timeline.js";

/** One user or account: who it is, what happened, and why. */
export function SubjectScreen({ type }: { type: SubjectType }) {
  const { id = "" } = useParams({ strict: false });
  const { id: org } = useOrganization();
  const navigate = useNavigate();
  const subject = useSubject(type, id);
  const [tab, setTab] = useUrlState("tab", "timeline", { replace: true });
  const present = subject.data?.id;

  useEffect(() => {
    // The id of a subject that was merged finds the survivor. The address then is that of the survivor.
    if (present === undefined || present === id) return;
    const to = type === "user" ? "/o/$org/users/$id" : "/o/$org/accounts/$id";
    void navigate({ to, params: { org, id: present }, replace: true });
  }, [present, id, type, org, navigate]);

  const name = subject.data ? subjectName(subject.data) : type === "user" ? "User" : "Account";
  if (subject.isError && !subject.data) {
    return (
      <Page title={name}>
        <ScreenError
          error={subject.error}
          onRetry={() => void subject.refetch()}
          noun={type}
          list={{ href: `/o/${org}/${type}s`, name: `All ${type}s` }}
        />
      </Page>
    );
  }
  if (!subject.data) {
    return (
      <Page title={name}>
        <PageSkeleton />
      </Page>
    );
  }
  return (
    <Page title={name} actions={<SubjectActions type={type} id={id} report={subject.data} />} fills>
      <div className={classes.head}>
        <SubjectHeader type={type} id={id} report={subject.data} />
      </div>
      <div className={classes.switch}>
        <SegmentedControl
          fullWidth
          aria-label="Part of the page"
          value={tab}
          onChange={setTab}
          data={[
            { value: "timeline", label: "Timeline" },
            { value: "about", label: type === "user" ? "Attributes" : "Attributes and users" },
          ]}
        />
      </div>
      <div className={classes.columns} data-tab={tab}>
        <section className={classes.column} data-part="about" aria-label="Attributes">
          {type === "account" ? <AccountUsers id={id} /> : null}
          <AttributeList id={id} />
        </section>
        <section className={classes.column} data-part="timeline" aria-label="Timeline">
          <Timeline type={type} id={id} />
        </section>
      </div>
      <SubjectPanel type={type} id={id} report={subject.data} />
    </Page>
  );
}
