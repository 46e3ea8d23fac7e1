/** Resolves when it holds; fails when it doesn't in time. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  milliseconds = 15_000,
): Promise<void> {
  const deadline = performance.now() + milliseconds;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not within ${milliseconds} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
