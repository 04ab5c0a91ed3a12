import { Refusal, type SubjectType } from "@muster/protocol";
import type { ViewDefinition, View as ViewRecord } from "@muster/protocol/api/views";
import { parse, parseSort, predicateToQuery } from "@muster/query";
import type { View } from "../../domain/views/view.js";
import type { Database } from "../../storage/postgres/database.js";
import { createView, findView, listViews, removeView, updateView } from "../../storage/postgres/objects/views.js";

const MAX_VIEWS = 1_000;

/** Saved views of the lists of users and accounts, which everybody in an organization shares. */
export class Views {
  readonly #database: Database;

  constructor({ database }: { database: Database }) {
    this.#database = database;
  }

  async list(
    organizationId: string,
    target: SubjectType | undefined,
    page: { limit: number; offset: number },
  ): Promise<{ total: number; views: ViewRecord[] }> {
    const { total, views } = await listViews(this.#database, organizationId, target, page);
    return { total, views: views.map(viewRecord) };
  }

  async find(organizationId: string, id: number): Promise<ViewRecord | undefined> {
    const found = await findView(this.#database, organizationId, id);
    return found && viewRecord(found);
  }

  async create(organizationId: string, view: ViewDefinition): Promise<ViewRecord> {
    checkView(view);
    const created = await createView(this.#database, organizationId, view, MAX_VIEWS);
    if (!created) throw new Refusal("conflict", `An organization has at most ${MAX_VIEWS} views.`);
    return viewRecord(created);
  }

  /** Changes a view; what is left out stays as it is. Undefined when there is no such view. */
  async update(organizationId: string, id: number, edit: Partial<ViewDefinition>): Promise<ViewRecord | undefined> {
    const current = await findView(this.#database, organizationId, id);
    if (!current) return undefined;
    const view = { ...current, ...edit };
    checkView(view);
    const updated = await updateView(this.#database, organizationId, id, view);
    return updated && viewRecord(updated);
  }

  remove(organizationId: string, id: number): Promise<boolean> {
    return removeView(this.#database, organizationId, id);
  }
}

/** Refuses a filter or an order that the list could not show. */
function checkView({ target, predicate, sort }: ViewDefinition): void {
  if (Object.keys(predicate).length > 0) parse(predicateToQuery(predicate, { target }), { target });
  if (Object.keys(sort).length > 0) parseSort(sort, { target });
}

function viewRecord({ createdAt, updatedAt, ...view }: View): ViewRecord {
  return { ...view, created_at: createdAt.toISOString(), updated_at: updatedAt.toISOString() };
}
