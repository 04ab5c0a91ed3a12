import { Text, UnstyledButton } from "@mantine/core";
import type { AttributeState } from "@muster/protocol/api/history";
import { formatRelative } from "../../../ui/text/format.js";
import { Tip } from "../../../ui/text/tip.js";
import classes from "./attribute-row.module.css";
import { AttributeValue } from "./attribute-value.js";
import { isRecent, shortName } from "./group-attributes.js";
import { originSentence } from "./origin-sentence.js";

interface AttributeRowProps {
  attribute: AttributeState;
  /** What people call it; empty when they call it by its name. */
  label: string;
  isOpen: boolean;
  onOpen: () => void;
}

/** One attribute. Hovering says where the value comes from; a click opens its history. */
export function AttributeRow({ attribute, label, isOpen, onOpen }: AttributeRowProps) {
  const { changed_at } = attribute;
  const isNew = isRecent(attribute, Date.now());
  const origin = originSentence(attribute);
  return (
    <Tip label={label === "" ? origin : `${attribute.name}: ${origin}`} position="top-start">
      <UnstyledButton className={classes.row} data-open={isOpen || undefined} onClick={onOpen}>
        <span className={classes.name}>{label === "" ? shortName(attribute) : label}</span>
        <span className={classes.value}>
          <AttributeValue value={attribute.value} type={attribute.type} />
          {attribute.proved ? null : (
            <Text component="span" size="xs" className={classes.unproved}>
              unproved
            </Text>
          )}
          {isNew && changed_at !== null ? (
            <Text component="span" size="xs" className={classes.mark}>
              changed {formatRelative(changed_at)}
            </Text>
          ) : null}
        </span>
      </UnstyledButton>
    </Tip>
  );
}
