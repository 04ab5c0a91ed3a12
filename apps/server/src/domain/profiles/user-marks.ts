/** What an admin has decided about a user. It is stored beside the user, and is no attribute. */
export interface UserMarks {
  /** Whether the application that shows the user treats the user as an admin. It gives no rights in this API. */
  isAdmin: boolean;
  approved: boolean;
  notifications: Record<string, unknown>;
}

export type UserMarkChanges = Partial<UserMarks>;

/**
 * The marks of a user and of those who were merged into it. A merge makes nobody an admin, because an identifier that
 * somebody typed may have caused it. It does not approve a user either. Settings of the user itself are preferred.
 */
export function combineMarks(own: UserMarks | undefined, former: readonly UserMarks[]): UserMarks {
  const all = [...former, ...(own ? [own] : [])];
  return {
    isAdmin: own?.isAdmin ?? false,
    approved: all.every(({ approved }) => approved),
    notifications: Object.assign({}, ...all.map(({ notifications }) => notifications)),
  };
}
