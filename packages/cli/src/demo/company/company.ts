import { createAccount, type DemoAccount, type Moment } from "./accounts.js";
import { createStory, type Story } from "./stories.js";
import { createPerson, createVisitor, type Person } from "./users.js";

export interface CompanyOptions extends Moment {
  /** How many users it has in the end, visitors without a name included. */
  users: number;
}

/** A company that sells tea to offices, with what happened in its last twelve months. */
export interface Company {
  accounts: DemoAccount[];
  /** Users who have signed up, and anonymous visitors. */
  people: Person[];
  /** Users that Muster has merged from several. */
  stories: Story[];
}

const VISITORS = 0.08;
const STORIES = 0.02;
const USERS_PER_ACCOUNT = 12;
const FEWEST_ACCOUNTS = 8;

/** How many objects of each kind a company with this many users has. */
export function countsOf(users: number): { accounts: number; people: number; visitors: number; stories: number } {
  const stories = Math.max(1, Math.floor(users * STORIES));
  const visitors = Math.floor(users * VISITORS);
  const accounts = Math.max(FEWEST_ACCOUNTS, Math.round(users / USERS_PER_ACCOUNT));
  return { accounts, people: Math.max(0, users - stories - visitors), visitors, stories };
}

/** The company of a seed. The same seed, number and time make the same company. */
export function createCompany({ users, ...moment }: CompanyOptions): Company {
  const counts = countsOf(users);
  const numbered = <Item>(length: number, create: (n: number) => Item) => Array.from({ length }, (_, n) => create(n));
  const accounts = numbered(counts.accounts, (n) => createAccount(n, moment));
  const taken = new Set<string>();
  const stories = numbered(counts.stories, (n) => createStory(n, moment, accounts, taken));
  const people = numbered(counts.people, (n) => createPerson(n, moment, accounts, taken));
  const visitors = numbered(counts.visitors, (n) => createVisitor(n, moment));
  return { accounts, people: [...people, ...visitors], stories };
}
