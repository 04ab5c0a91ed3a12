import { Anchor, Divider, Group, Stack, Text, Title } from "@mantine/core";
import type { Entity } from "@muster/protocol/api/entities";
import { namelessWords, subjectName } from "../../api/audience/subject-name.js";
import { SHOWN_ACTIONS, useEntity, useEntityEvents, useEntityUsers } from "../../api/audience/use-entities.js";
import { useSubjectNames } from "../../api/audience/use-subject-names.js";
import { useOrganization } from "../../api/session/use-organization.js";
import { ValueBars } from "../../ui/charts/value-bars.js";
import { CodeBlock } from "../../ui/code/code-block.js";
import { ErrorNote } from "../../ui/page/error-note.js";
import { type Fact, Facts } from "../../ui/page/facts.js";
import { SidePanel } from "../../ui/page/side-panel.js";
import { TextLink } from "../../ui/page/text-link.js";
import { CopyText } from "../../ui/text/copy-text.js";
import { formatCount, formatNumber } from "../../ui/text/format.js";
import { TimeText } from "../../ui/text/time-text.js";
import classes from "./entities.module.css";
import { entityName } from "./entity-name.js";

/** Everything about one entity: what it is, what was done with it, and by whom. */
export function EntityPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error, refetch } = useEntity(id);
  const title = id === "" ? undefined : data ? entityName(data) : "Entity";
  return (
    <SidePanel title={title} onClose={onClose} width={640}>
      {error ? <ErrorNote error={error} onRetry={() => void refetch()} /> : null}
      {data && id !== "" ? <Details entity={data} /> : null}
    </SidePanel>
  );
}

function Details({ entity }: { entity: Entity }) {
  const { description, extra, meta_tags: metaTags } = entity;
  return (
    <Stack gap="md">
      {description ? <Text className={classes.text}>{description}</Text> : null}
      <Facts facts={factsOf(entity)} />
      {Object.keys(extra).length > 0 ? <Values title="Data of your own" values={extra} /> : null}
      {Object.keys(metaTags).length > 0 ? <Values title="What its page says" values={metaTags} /> : null}
      <Divider />
      <Actions entity={entity} />
      <ActingUsers id={entity.id} />
      <LastEvents id={entity.id} />
    </Stack>
  );
}

function factsOf({ id, uid, type, url, tags, app_id: appId, created_at, updated_at }: Entity): Fact[] {
  return [
    { name: "Uid", value: <Copied text={uid} label="Copy the uid" /> },
    { name: "Id", value: <Copied text={id} label="Copy the id" /> },
    { name: "Type", value: type },
    ...(url ? [{ name: "Address", value: <Address url={url} /> }] : []),
    ...(tags.length > 0 ? [{ name: "Tags", value: tags.join(", ") }] : []),
    { name: "Belongs to", value: appId === undefined ? "the organization" : <Owner id={appId} /> },
    { name: "Created", value: <TimeText time={created_at} /> },
    { name: "Updated", value: <TimeText time={updated_at} /> },
  ];
}

function Copied({ text, label }: { text: string; label: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      <Text ff="monospace" className={classes.text}>
        {text}
      </Text>
      <CopyText text={text} label={label} />
    </Group>
  );
}

function Address({ url }: { url: string }) {
  return (
    <Anchor href={url} target="_blank" rel="noopener noreferrer" className={classes.text}>
      {url}
    </Anchor>
  );
}

function Owner({ id }: { id: string }) {
  const { id: org } = useOrganization();
  return (
    <TextLink to="/o/$org/connectors/$id" params={{ org, id }}>
      the connector that sent it
    </TextLink>
  );
}

function Values({ title, values }: { title: string; values: Record<string, unknown> }) {
  return (
    <Stack gap={4} component="section" aria-label={title}>
      <Title order={3}>{title}</Title>
      <CodeBlock text={JSON.stringify(values, undefined, 2)} label={title.toLowerCase()} />
    </Stack>
  );
}

function Actions({ entity: { stats } }: { entity: Entity }) {
  const bars = Object.entries(stats.actions)
    .sort(([, one], [, other]) => other - one)
    .map(([name, count]) => ({ key: name, label: name, count }));
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  return (
    <Stack gap={4} component="section" aria-label="What was done with it">
      <Title order={3}>What was done with it</Title>
      {total === 0 ? <Text c="dimmed">No event has named it yet.</Text> : <ValueBars bars={bars} total={total} />}
      {stats.likes > 0 ? (
        <Text c="dimmed">
          {formatCount(stats.likes, "user")} {stats.likes === 1 ? "likes" : "like"} it at present.
        </Text>
      ) : null}
    </Stack>
  );
}

function ActingUsers({ id }: { id: string }) {
  const { id: org } = useOrganization();
  const { data, error, refetch } = useEntityUsers(id);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data || data.pagination.total === 0) return null;
  const { total } = data.pagination;
  return (
    <Stack gap={4} component="section" aria-label="Who acted on it">
      <Title order={3}>Who acted on it</Title>
      <Text c="dimmed">
        {formatCount(total, "user")}
        {total > SHOWN_ACTIONS ? `, the last ${formatNumber(SHOWN_ACTIONS)} seen` : ""}
      </Text>
      <ul className={classes.list}>
        {data.data.map((user) => (
          <li key={user.id}>
            <TextLink to="/o/$org/users/$id" params={{ org, id: user.id }}>
              {subjectName(user)}
            </TextLink>
            <TimeText time={typeof user.last_seen_at === "string" ? user.last_seen_at : null} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

function LastEvents({ id }: { id: string }) {
  const { id: org } = useOrganization();
  const { data, error, refetch } = useEntityEvents(id);
  const users = data?.data.flatMap(({ user_id: userId }) => (typeof userId === "string" ? userId : [])) ?? [];
  const names = useSubjectNames(users);
  if (error) return <ErrorNote error={error} onRetry={() => void refetch()} />;
  if (!data || data.data.length === 0) return null;
  return (
    <Stack gap={4} component="section" aria-label="Last events">
      <Title order={3}>Last events</Title>
      <ul className={classes.list}>
        {data.data.map(({ id: eventId, event, user_id: userId, created_at: at }) => (
          <li key={eventId}>
            <span>{String(event)}</span>
            <span className={classes.aside}>
              {typeof userId === "string" ? (
                <TextLink to="/o/$org/users/$id" params={{ org, id: userId }}>
                  {names.get(userId) ?? namelessWords(userId)}
                </TextLink>
              ) : null}
              <TimeText time={typeof at === "string" ? at : null} />
            </span>
          </li>
        ))}
      </ul>
    </Stack>
  );
}
