// Simulates a disk and a process that fail at a chosen step. The step is done not at all, half or fully, and nothing works after that.
import type { Files } from '../files.ts'

export type Failure = {
  /** The number of the step, counted from 0 among those that change something. */
  readonly at: number
  readonly extent: 'none' | 'half' | 'whole'
  /** A crash ends everything. A fault ends with its step. */
  readonly kind: 'crash' | 'fault'
}

class SimulatedFailure extends Error {
  readonly code = 'ENOSPC'
}

export type FailingProcess = {
  readonly files: Files
  /** A step outside the disk, such as a request. */
  readonly step: <Value>(run: () => Value) => Value
  readonly hasFailed: () => boolean
}

export function createFailingProcess(real: Files, failure: Failure): FailingProcess {
  let steps = 0
  let hasFailed = false
  const requireLife = () => {
    if (hasFailed && failure.kind === 'crash') throw new SimulatedFailure('dead')
  }
  const step = <Value>(run: () => Value, runHalf: () => void = () => undefined): Value => {
    requireLife()
    steps += 1
    if (steps - 1 !== failure.at) return run()
    hasFailed = true
    if (failure.extent === 'whole') run()
    if (failure.extent === 'half') runHalf()
    throw new SimulatedFailure('failed')
  }
  const look = <Value>(run: () => Value): Value => {
    requireLife()
    return run()
  }
  const half = (data: string | Uint8Array) => Buffer.from(data).subarray(0, Math.floor(data.length / 2))
  return {
    step: run => step(run),
    hasFailed: () => hasFailed,
    files: {
      isOpenToOthers: path => look(() => real.isOpenToOthers(path)),
      closeToOthers: folder => step(() => real.closeToOthers(folder)),
      makeFolder: path => step(() => real.makeFolder(path)),
      writeNew: (path, data) =>
        step(
          () => real.writeNew(path, data),
          () => real.writeNew(path, half(data)),
        ),
      createMark: path => step(() => real.createMark(path)),
      rename: (from, to) => step(() => real.rename(from, to)),
      remove: path => step(() => real.remove(path)),
      touch: (path, at) => step(() => real.touch(path, at)),
      list: path => look(() => real.list(path)),
      read: path => look(() => real.read(path)),
      modifiedAt: path => look(() => real.modifiedAt(path)),
    },
  }
}
