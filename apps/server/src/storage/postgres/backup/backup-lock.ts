/**
 * An arbitrary number. Several backups can hold this lock at the same time. A process that drops or alters tables takes it
 * exclusively: a statement that waits for a table that a backup reads would block all statements after it.
 */
export const BACKUP_LOCK = 7_201_987;
