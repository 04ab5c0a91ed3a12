import { type BatchEntry, createBrand, signToken } from "@muster/protocol";
import type { Page } from "playwright-core";
import { expect, vi } from "vitest";
import { PATIENCE } from "../../support/patience.js";
import type { Dashboard } from "./dashboard.js";
import { sendEntries } from "./send-entries.js";

const { headers: names, claims } = createBrand();

export interface Connector {
  id: string;
  secret: string;
}

export interface Segment {
  id: string;
  name: string;
  query: object;
  predicate: object;
}

export const count = (page: Page) => page.getByTestId("segment-count");

/** Waits until the page shows this count by itself. */
export async function expectCount(page: Page, text: string): Promise<void> {
  await expect.poll(() => count(page).textContent(), PATIENCE).toBe(text);
}

export const field = (page: Page, label: string) =>
  page.locator(`input[aria-label="${label}"]`).filter({ visible: true });

/** Adds a condition: opens the list, types a part of the name, and takes the first choice with the keyboard. */
export async function addCondition(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name: "Add condition" }).last().click();
  await field(page, "Find an attribute, an event or a segment").fill(name);
  await page.getByRole("option", { name }).first().waitFor();
  await page.keyboard.press("Enter");
}

/** An organization with a few people, and what tests of segments do in it. */
export class SegmentPeople {
  readonly #dashboard: Dashboard;
  readonly #connector: Connector;

  private constructor(dashboard: Dashboard, connector: Connector) {
    this.#dashboard = dashboard;
    this.#connector = connector;
  }

  /** With Ann (pro, red, 100), Bob (free, blue, 0) and Cat (pro, red, 10). Ann has ordered. */
  static async in(dashboard: Dashboard): Promise<SegmentPeople> {
    const connector = await dashboard.api<Connector>("POST", "/connectors", { name: "Shop" });
    const people = new SegmentPeople(dashboard, connector);
    await people.send([
      { email: "ann@example.com", traits: { plan: "pro", team: "red", mrr: 100, name: "Ann" } },
      { email: "bob@example.com", traits: { plan: "free", team: "blue", mrr: 0, name: "Bob" } },
      { email: "cat@example.com", traits: { plan: "pro", team: "red", mrr: 10, name: "Cat" } },
      { email: "ann@example.com", event: "Ordered" },
    ]);
    const ordered = { predicate: { event: { name: "Ordered" } } };
    await vi.waitFor(
      async () => expect(await dashboard.api("POST", "/segments/count", ordered)).toMatchObject({ count: 1, total: 3 }),
      PATIENCE,
    );
    return people;
  }

  /** Sends records of users by the gateway. */
  async send(people: { email: string; traits?: object; event?: string }[]): Promise<void> {
    const batch = people.map(
      ({ email, traits, event }): BatchEntry => ({
        type: event === undefined ? "traits" : "track",
        timestamp: new Date().toISOString(),
        headers: {
          [names.accessToken]: signToken(
            {
              iss: this.#connector.id,
              iat: Math.floor(Date.now() / 1_000),
              [claims.subjectType]: "user",
              [claims.asUser]: { email },
            },
            this.#connector.secret,
          ),
        },
        body: event === undefined ? { ...traits } : { event, properties: { total: 20 } },
      }),
    );
    await sendEntries(this.#dashboard, this.#connector, batch);
  }

  async find(name: string): Promise<Segment | undefined> {
    return (await this.#dashboard.api<Segment[]>("GET", "/segments")).find((segment) => segment.name === name);
  }

  async create(name: string, definition: object): Promise<Segment> {
    return this.#dashboard.api("POST", "/users_segments", { name, query: {}, predicate: {}, ...definition });
  }
}
