// Reads the CPU time used by a process and its descendants, as counted by Linux.
import { readdirSync, readFileSync } from 'node:fs'

type Process = {
  readonly id: number
  readonly parent: number
  readonly name: string
  readonly ticks: number
}

/** A tick is 10 ms (USER_HZ is 100 on Linux). */
const microsPerTick = 10_000

function listProcesses(): Process[] {
  return readdirSync('/proc')
    .filter(id => /^\d+$/.test(id))
    .flatMap(id => {
      try {
        const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
        const nameEnds = stat.lastIndexOf(')')
        const fields = stat.slice(nameEnds + 2).split(' ')
        return [
          {
            id: Number(id),
            parent: Number(fields[1]),
            name: stat.slice(stat.indexOf('(') + 1, nameEnds),
            ticks: Number(fields[11]) + Number(fields[12]),
          },
        ]
      } catch {
        // The process has ended in the meantime.
        return []
      }
    })
}

/** A process and all its running descendants. */
function findTree(root: number): Process[] {
  const all = listProcesses()
  const within = new Set([root])
  for (let size = 0; size !== within.size; ) {
    size = within.size
    for (const { id, parent } of all) if (within.has(parent)) within.add(id)
  }
  return all.filter(({ id }) => within.has(id))
}

/** Microseconds of user and system time. Those of a child that has ended are not counted. */
export const readTreeMicros = (root: number) =>
  findTree(root).reduce((sum, { ticks }) => sum + ticks * microsPerTick, 0)

/** Kills a process and all its descendants, as a crash does. They are stopped first, or one could start another meanwhile. */
export function killTree(root: number): void {
  const found = new Set<number>()
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const { id } of findTree(root)) {
      found.add(id)
      sendSignal(id, 'SIGSTOP')
    }
  }
  for (const id of found) sendSignal(id, 'SIGKILL')
}

function sendSignal(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal)
  } catch {
    // It has ended in the meantime.
  }
}

/** The first process of the PostgreSQL that listens at the port of `url`, by its command line. */
export function findPostgres(url: string): number {
  const { port } = new URL(url)
  const found = listProcesses().find(({ id, name }) => {
    if (name !== 'postgres') return false
    const words = readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0')
    return words[words.indexOf('-p') + 1] === port
  })
  if (found === undefined) throw new Error(`No PostgreSQL listens on ${port}.`)
  return found.id
}
