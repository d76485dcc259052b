// Reads the CPU time of each thread of a process, in nanoseconds, as counted by the Linux scheduler.
import { readdirSync, readFileSync } from 'node:fs'

export type ThreadTime = { readonly name: string; readonly nanoseconds: number }

/** By thread id. The thread with the process's id runs the event loop. */
export function readThreadTimes(pid: number): Map<number, ThreadTime> {
  const times = new Map<number, ThreadTime>()
  for (const id of readdirSync(`/proc/${pid}/task`)) {
    try {
      const folder = `/proc/${pid}/task/${id}`
      // The first of three numbers is the time spent on a processor (Linux, Documentation/scheduler/sched-stats.rst).
      const [ran = '0'] = readFileSync(`${folder}/schedstat`, 'utf8').split(' ')
      const name = readFileSync(`${folder}/comm`, 'utf8').trim()
      times.set(Number(id), { name, nanoseconds: Number(ran) })
    } catch {
      // The thread has ended in the meantime.
    }
  }
  return times
}

export type SpentTime = {
  readonly serving: number
  readonly all: number
  /** Times by thread name; threads with the same name are added up. */
  readonly byName: ReadonlyMap<string, number>
}

/** CPU time between two readings, in nanoseconds. A thread that started in between counts from its start. */
export function subtractThreadTimes(
  pid: number,
  before: ReadonlyMap<number, ThreadTime>,
  after: ReadonlyMap<number, ThreadTime>,
): SpentTime {
  let all = 0
  let serving = 0
  const byName = new Map<string, number>()
  for (const [id, { name, nanoseconds }] of after) {
    const spent = nanoseconds - (before.get(id)?.nanoseconds ?? 0)
    all += spent
    if (id === pid) serving += spent
    const role = id === pid ? 'serving thread' : name
    byName.set(role, (byName.get(role) ?? 0) + spent)
  }
  return { serving, all, byName }
}
