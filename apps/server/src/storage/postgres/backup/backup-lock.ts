/**
 * An arbitrary number. Several backups can hold this lock at the same time. A process that drops or changes tables takes it
 * alone: a statement that waits to change a table that a backup reads would hold up all statements after it.
 */
export const BACKUP_LOCK = 7_201_987;
