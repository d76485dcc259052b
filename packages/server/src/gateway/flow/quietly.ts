// Runs what must not change the way of a call: its failure is reported, and nothing else. None of them throws, even when `report` does.

export function quietly(run: () => void, report: (error: unknown) => void): void {
  try {
    run()
  } catch (error) {
    tellQuietly(error, report)
  }
}

export async function awaitQuietly(
  run: () => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    tellQuietly(error, report)
  }
}

export function tellQuietly(error: unknown, report: (error: unknown) => void): void {
  try {
    report(error)
  } catch {
    // There is nobody left to tell.
  }
}
