/** What was done with one page of a log. */
export interface CleanedPage {
  /** The last row of the page; undefined when the page is empty because the log has ended. */
  end: number | undefined;
  /** How many rows or entries were removed or rewritten. */
  removed: number;
}
