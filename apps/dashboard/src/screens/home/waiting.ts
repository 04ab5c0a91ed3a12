// Which organization somebody has seen empty on this page. It is no state of a component: the screen that says that the
// first record has arrived takes the place of the one that waited for it.
let waitingFor: string | undefined;

export function noteWaiting(organization: string): void {
  waitingFor = organization;
}

export function wasWaiting(organization: string): boolean {
  return waitingFor === organization;
}

export function forgetWaiting(): void {
  waitingFor = undefined;
}
