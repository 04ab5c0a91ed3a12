import type { SavedInsight } from "@muster/protocol/api/insights";
import { readList } from "../read-list.js";
import { type DemoOrganization, findOrMake } from "./demo-organization.js";

const LAST_QUARTER = { from: "now-90d/d", to: "now" };

const INSIGHTS: readonly { name: string; question: Record<string, object> }[] = [
  {
    name: "Orders by week",
    question: {
      trend: {
        series: [
          { event: "Order placed", measure: "count" },
          { event: "Order placed", measure: "users" },
        ],
        interval: "week",
        compare: true,
        ...LAST_QUARTER,
      },
    },
  },
  {
    name: "From the website to an order",
    question: {
      funnel: {
        steps: [{ event: "Page viewed" }, { event: "Added to cart" }, { event: "Order placed" }],
        within: "7d",
        ...LAST_QUARTER,
      },
    },
  },
  {
    name: "Who orders again",
    question: {
      retention: {
        start: { event: "Order placed" },
        return: { event: "Order placed" },
        interval: "month",
        from: "now-365d/d",
        to: "now",
      },
    },
  },
];

/** Saves the insights of the demo, and puts them on the home after those that are there. */
export async function saveInsights(demo: DemoOrganization): Promise<void> {
  const { api } = demo;
  const known = (await readList<SavedInsight>(api, "/insights")).map(idOfPath);
  for (const { name, question } of INSIGHTS) {
    const create = async () => idOfPath(await api.post<SavedInsight>("/insights", { name, question }));
    if (!known.some((insight) => insight.name === name)) await findOrMake(demo, known, () => false, create);
  }
  const all = await readList<SavedInsight>(api, "/insights");
  const names = INSIGHTS.map(({ name }) => name);
  const cards = all.filter((insight) => insight.home_place !== null || names.includes(insight.name));
  const place = ({ home_place, name }: SavedInsight) => home_place ?? all.length + names.indexOf(name);
  await api.put("/insights/home", { ids: cards.sort((one, other) => place(one) - place(other)).map(({ id }) => id) });
}

/** The path of an insight stands for its id among those that the demo has made. */
function idOfPath({ id, name }: SavedInsight): { id: string; name: string } {
  return { id: `insights/${id}`, name };
}
