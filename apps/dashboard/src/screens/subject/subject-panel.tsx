import type { SubjectType } from "@muster/protocol";
import type { JoinedSegment } from "@muster/protocol/api/segments";
import type { Report } from "@muster/protocol/api/subjects";
import { SidePanel } from "../../ui/page/side-panel.js";
import { AttributePanel } from "./attributes/attribute-panel.js";
import { IdentityPanel } from "./identity/identity-panel.js";
import { ItemPanel } from "./timeline/item-panel.js";
import { type AttributeLabel, useAttributeLabels } from "./use-attribute-labels.js";
import { type Panel, usePanel } from "./use-panel.js";
import { WhyPanel } from "./why/why-panel.js";

interface SubjectPanelProps {
  type: SubjectType;
  id: string;
  report: Report & { segments: JoinedSegment[] };
}

/** The panel at the side: the history of an attribute, an item of the timeline, the identity, or why a segment. */
export function SubjectPanel({ type, id, report }: SubjectPanelProps) {
  const [panel, openPanel] = usePanel();
  const labelOf = useAttributeLabels(type);
  return (
    <SidePanel title={panel && titleOf(panel, labelOf)} onClose={() => openPanel(undefined)}>
      {panel?.kind === "attribute" ? <AttributePanel id={id} name={panel.about} /> : null}
      {panel?.kind === "item" ? <ItemPanel type={type} id={id} itemId={panel.about} /> : null}
      {panel?.kind === "identity" ? <IdentityPanel type={type} id={id} /> : null}
      {panel?.kind === "why" ? (
        <WhyPanel type={type} id={id} segments={report.segments} segmentId={panel.about} />
      ) : null}
    </SidePanel>
  );
}

function titleOf({ kind, about }: Panel, labelOf: AttributeLabel): string {
  switch (kind) {
    case "attribute":
      return labelOf(about);
    case "item":
      return "What happened";
    case "identity":
      return "Identity";
    case "why":
      return "Why in a segment, or not";
  }
}
