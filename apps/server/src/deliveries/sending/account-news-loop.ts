import type { Logger } from "pino";
import { loadSubjectStates } from "../../audience/subjects/subject-states.js";
import type { ConnectorDirectory, ListedConnector } from "../../connectors/connector-directory.js";
import { isNothing, messagesAboutUsers } from "../../domain/delivery/account-news.js";
import type { Withheld } from "../../domain/purposes/withheld.js";
import { Loop } from "../../runtime/loops/loop.js";
import type { Database, Transaction } from "../../storage/postgres/database.js";
import {
  lockNews,
  type NextNews,
  nextNews,
  saveNewsProgress,
  usersOfAccount,
} from "../../storage/postgres/delivery/account-news.js";
import { appendToOutbox, hasQueued, lockNotifyCursor } from "../../storage/postgres/delivery/outbox.js";
import { noteWithheld } from "../../storage/postgres/delivery/withheld.js";
import type { WorkLease } from "../../storage/postgres/leases/work-lease.js";
import type { Questions } from "../../storage/questions/questions.js";
import { addressMessages, countWithheld } from "../messages/address-messages.js";

export interface AccountNewsLoopOptions {
  database: Database;
  questions: Questions;
  maxAttributes: number;
  directory: ConnectorDirectory;
  logger: Logger;
}

/** Whose news they are. `onQueued` is called once messages wait in the queue of the connector. */
export interface AccountNewsPlace {
  organizationId: string;
  connectorId: string;
  lease: WorkLease;
  onQueued(): void;
}

interface QueuedPage {
  users: number;
  withheld: Withheld[];
}

/** A connector gets at most a page a second, however many users an account has. */
const USERS_PER_PAGE = 100;
const PAGE_EVERY_MS = 1_000;
/** While more rows than this wait in the queue of a connector, no page is added. */
const MOST_QUEUED_ROWS = 50;

/**
 * Queues messages about the users of accounts that changed, for one connector that is switched to get them. The pages are
 * queued in the place of the users' own messages, which is why the notify cursor is locked: a message with an older
 * state of a user must not follow one with a newer state.
 */
export class AccountNewsLoop {
  readonly #options: AccountNewsLoopOptions;
  readonly #place: AccountNewsPlace;
  readonly #loop: Loop;
  /** When the next page may be queued, by the clock of the process. */
  #nextPageAt = 0;

  constructor(options: AccountNewsLoopOptions, place: AccountNewsPlace) {
    this.#options = options;
    this.#place = place;
    this.#loop = new Loop({
      step: () => this.#step(),
      onError: (error) => {
        options.logger.error({ err: error, connectorId: place.connectorId }, "telling about accounts failed");
      },
    });
  }

  start(): void {
    this.#loop.start();
  }

  wake(): void {
    this.#loop.wake();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  /** Queues the next page. Returns how long to wait, undefined when there are no news. */
  async #step(): Promise<number | undefined> {
    const { database, directory } = this.#options;
    const { organizationId, connectorId, onQueued } = this.#place;
    const listed = directory.find(connectorId);
    if (!listed?.connector.enabled || !listed.connector.notifyUsersOfAccount) return undefined;
    const news = await nextNews(database, organizationId, connectorId);
    if (!news) return undefined;
    if (news.waitMs > 0) return news.waitMs;
    const pauseMs = this.#nextPageAt - performance.now();
    if (pauseMs > 0) return pauseMs;
    if (await hasQueued(database, organizationId, connectorId, MOST_QUEUED_ROWS)) return PAGE_EVERY_MS;
    const { users, withheld } = await database.transaction((tx) => this.#queuePage(tx, news, listed));
    if (users === 0) return 0;
    await noteWithheld(database, organizationId, withheld);
    this.#nextPageAt = performance.now() + PAGE_EVERY_MS;
    onQueued();
    return PAGE_EVERY_MS;
  }

  /** Returns the number of users on the page, and what the connector does not get. */
  async #queuePage(tx: Transaction, { id, accountId }: NextNews, listed: ListedConnector): Promise<QueuedPage> {
    const { organizationId, connectorId, lease } = this.#place;
    await lease.confirm(tx);
    await lockNotifyCursor(tx, organizationId);
    const news = await lockNews(tx, organizationId, connectorId, id);
    if (!news) return { users: 0, withheld: [] };
    const userIds = isNothing(news.changes)
      ? []
      : await usersOfAccount(tx, organizationId, accountId, news.afterUserId, USERS_PER_PAGE);
    const wanted = { user: userIds, account: [accountId] };
    const { purposes } = listed.connector;
    const options = { ...this.#options, database: tx };
    const { states, agreements } = await loadSubjectStates(options, organizationId, wanted, { purposes });
    const account = states.account.get(accountId);
    // A missing account was erased, or merged into another account, which has news of its own.
    const messages = account ? messagesAboutUsers(userIds, account, news.changes, states, `account-${id}`) : [];
    const { batches, withheld } = addressMessages({ channel: "user:update", messages, agreements }, [listed]);
    await appendToOutbox(tx, organizationId, batches, countWithheld(withheld));
    const isLast = !account || userIds.length < USERS_PER_PAGE;
    await saveNewsProgress(tx, organizationId, connectorId, id, isLast ? undefined : userIds.at(-1));
    return { users: userIds.length, withheld };
  }
}
