import type { DeliveryFigures } from "@muster/protocol/api/deliveries";

export interface FunnelStep {
  name: string;
  detail: string;
  count: number;
  /** The part of the step that it is compared with; undefined for the first, or when that step has none. */
  share: number | undefined;
  kind: "plain" | "good" | "late" | "bad";
}

/** The steps of messages, from the change to the end. */
export function funnelSteps(total: DeliveryFigures["total"]): FunnelStep[] {
  const { considered, addressed, queued, sent, delivered, skipped, unreported, retried, refused, dead, withheld } =
    total;
  const share = (count: number, of: number) => (of > 0 ? count / of : undefined);
  // Only connectors that report what became of each message have these.
  const reported: FunnelStep[] = [
    {
      name: "Refused by the service",
      detail: "of the dead letters",
      count: refused,
      share: share(refused, dead),
      kind: "bad",
    },
    {
      name: "Skipped",
      detail: "the connector had nothing to do",
      count: skipped,
      share: share(skipped, sent),
      kind: "plain",
    },
    {
      name: "Not reported",
      detail: "the connector did not say what became of them",
      count: unreported,
      share: share(unreported, sent),
      kind: "late",
    },
  ];
  return [
    { name: "Considered", detail: "changes on its channels", count: considered, share: undefined, kind: "plain" },
    { name: "Passed the filters", detail: "", count: addressed, share: share(addressed, considered), kind: "plain" },
    { name: "Queued", detail: "also exports and messages sent again", count: queued, share: undefined, kind: "plain" },
    { name: "Sent", detail: "every attempt counts", count: sent, share: undefined, kind: "plain" },
    { name: "Accepted", detail: "of the attempts", count: delivered, share: share(delivered, sent), kind: "good" },
    { name: "To be tried again", detail: "of the attempts", count: retried, share: share(retried, sent), kind: "late" },
    { name: "Given up", detail: "now dead letters", count: dead, share: share(dead, sent), kind: "bad" },
    ...(withheld > 0 ? [withheldStep(withheld)] : []),
    ...reported.filter(({ count }) => count > 0),
  ];
}

function withheldStep(count: number): FunnelStep {
  return {
    name: "Withheld",
    detail: "the user has not agreed to its purposes",
    count,
    share: undefined,
    kind: "plain",
  };
}
