import { Refusal } from "@muster/protocol";
import type { InsightQuestion, SavedInsight } from "@muster/protocol/api/insights";
import { parseFunnel, parseRetention, parseTrend } from "@muster/query";
import { type Database, isUniqueViolation } from "../../storage/postgres/database.js";
import {
  arrangeHome,
  createInsight,
  findInsight,
  listInsights,
  removeInsight,
  updateInsight,
} from "../../storage/postgres/objects/saved-insights.js";

const MAX_INSIGHTS = 1_000;

/** Saved questions and the cards of the home. Everybody in an organization shares them. */
export class SavedInsights {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  list(
    organizationId: string,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; insights: SavedInsight[] }> {
    return listInsights(this.#database, organizationId, page);
  }

  find(organizationId: string, id: number): Promise<SavedInsight | undefined> {
    return findInsight(this.#database, organizationId, id);
  }

  async create(organizationId: string, name: string, question: InsightQuestion): Promise<SavedInsight> {
    checkQuestion(question);
    const created = await withOwnName(name, () =>
      createInsight(this.#database, organizationId, { name: name.trim(), question }, MAX_INSIGHTS),
    );
    if (!created) throw new Refusal("conflict", `An organization has at most ${MAX_INSIGHTS} saved insights.`);
    return created;
  }

  /** Changes an insight; what is left out stays as it is. Undefined when there is no such insight. */
  update(
    organizationId: string,
    id: number,
    { name, question }: { name?: string; question?: InsightQuestion },
  ): Promise<SavedInsight | undefined> {
    if (question) checkQuestion(question);
    return withOwnName(name ?? "", () =>
      updateInsight(this.#database, organizationId, id, { name: name?.trim(), question }),
    );
  }

  remove(organizationId: string, id: number): Promise<boolean> {
    return removeInsight(this.#database, organizationId, id);
  }

  /** Puts the cards of these insights on the home, in this order, and takes all others away. */
  async arrangeHome(organizationId: string, ids: readonly number[]): Promise<SavedInsight[]> {
    const cards = await arrangeHome(this.#database, organizationId, ids);
    if (cards) return cards;
    throw new Refusal("invalid_parameter", "There is no insight for one of the ids.");
  }
}

/** Refuses a question that could not be answered. */
function checkQuestion({ trend, funnel, retention }: InsightQuestion): void {
  const options = { now: new Date() };
  if (trend) parseTrend(trend, options);
  if (funnel) parseFunnel(funnel, options);
  if (retention) parseRetention(retention, options);
}

async function withOwnName<Result>(name: string, save: () => Promise<Result>): Promise<Result> {
  try {
    return await save();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Refusal("conflict", `There is an insight with the name "${name.trim()}" already.`);
  }
}
