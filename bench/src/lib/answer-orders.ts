/**
 * Makes this process work for the one that started it: each message is an order, and what `work` resolves with is sent
 * back. A failure is printed and ends the process, which the parent sees.
 */
export function answerOrders<Order>(work: (order: Order) => Promise<object>): void {
  process.on("message", (order: Order) => {
    work(order).then(
      (report) => process.send?.(report),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
