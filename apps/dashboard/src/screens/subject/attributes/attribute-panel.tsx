import type { AttributeState } from "@muster/protocol/api/history";
import "@mantine/core/styles/Timeline.css";
import { Anchor, Stack, Timeline as Steps, Text, Title } from "@mantine/core";
import { typeOfId } from "@muster/protocol/api/object-ids";
import { Link } from "@tanstack/react-router";
import { Suspense } from "react";
import { useSubjectAttributes } from "../../../api/audience/use-subject.js";
import { useOrganization } from "../../../api/session/use-organization.js";
import { lazyPart } from "../../../ui/state/lazy-part.js";
import { TimeText } from "../../../ui/text/time-text.js";
import { writerName } from "../writer-name.js";
import { AttributeValue } from "./attribute-value.js";
import { EditValue } from "./edit-value.js";

const ComputedExplanation = lazyPart(() => import("../why/computed-explanation.js"), "ComputedExplanation");

/** The value of one attribute, who wrote it, and all values before that are kept. */
export function AttributePanel({ id, name }: { id: string; name: string }) {
  const attribute = useSubjectAttributes(id).data?.find((candidate) => candidate.name === name);
  if (!attribute) return <Text c="dimmed">This attribute has no value and no history here.</Text>;
  const { value, type, set_at, set_by, tracked, computed, previous, proved } = attribute;
  const isOfDefinition = Boolean(set_by?.computed_id);
  return (
    <Stack>
      <Text component="div" size="lg" style={{ overflowWrap: "anywhere" }}>
        <AttributeValue value={value} type={type} />
      </Text>
      {isOfDefinition ? (
        <Text component="div">
          Computed
          {set_at === null ? null : (
            <>
              {" "}
              <TimeText time={set_at} />
            </>
          )}
          .
        </Text>
      ) : set_at === null ? (
        <Text>Muster keeps this field itself{computed ? "" : " until a record gives it a value"}.</Text>
      ) : (
        <Text component="div">
          The record that wrote it is from <TimeText time={set_at} /> and came from <WriterLink writer={set_by} />.
        </Text>
      )}
      {proved ? null : (
        <Text>
          {computed
            ? "It is unproved: it follows, or may follow, from what pages said without a token, so users do not read it."
            : "It is unproved: a page said it alone, without a token, so it may be of somebody else. The first value that comes with proof replaces it."}
        </Text>
      )}
      {isOfDefinition ? (
        <Suspense>
          <ComputedExplanation subjectId={id} attribute={attribute} />
        </Suspense>
      ) : computed ? null : (
        <EditValue key={JSON.stringify(value)} id={id} attribute={attribute} />
      )}
      <Title order={3}>Before</Title>
      {previous.length === 0 ? (
        <Text c="dimmed">
          {tracked
            ? "No earlier value is kept. The first value of a user or account leaves no change."
            : "Changes of this attribute are not tracked, so earlier values are not kept."}
        </Text>
      ) : (
        <Steps bulletSize={10} lineWidth={1}>
          {previous.map(({ value: before, until, replaced_by }) => (
            <Steps.Item key={until} title={<AttributeValue value={before} type={type} />}>
              <Text component="div" c="dimmed" size="xs">
                replaced <TimeText time={until} /> by <WriterLink writer={replaced_by} />
              </Text>
            </Steps.Item>
          ))}
        </Steps>
      )}
    </Stack>
  );
}

function WriterLink({ writer }: { writer: AttributeState["set_by"] }) {
  const { id: org } = useOrganization();
  const name = writerName(writer);
  if (!writer?.connector_id || writer.connector_name === null) return <>{name}</>;
  if (typeOfId(writer.connector_id) !== "connector") return <>the website {name}</>;
  return (
    <Anchor component={Link} to={`/o/${org}/connectors/${writer.connector_id}`} inherit underline="always">
      {name}
    </Anchor>
  );
}
