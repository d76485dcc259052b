// Runs tasks one after the other, so that a change always starts from the result of the change before it.

export type SerialQueue = <Result>(task: () => Promise<Result>) => Promise<Result>

export function createSerialQueue(): SerialQueue {
  let last: Promise<unknown> = Promise.resolve()
  return task => {
    const result = last.then(task)
    // A failed task must not stop those behind it; its own caller gets the error.
    last = result.catch(() => undefined)
    return result
  }
}
