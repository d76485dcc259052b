// Checks the disk of the data folder: its room, and how long it takes to have a write for good.
import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Finding, fault, ok, warning } from './finding.ts'

export type DiskFacts = {
  readonly folder: string
  readonly freeBytes: number
  readonly sizeBytes: number
  readonly warnBelowBytes: number
  /** Of several writes of one page, in ms. `absent`: the folder is not there yet, and can be made. */
  readonly flushMs: readonly number[] | 'absent' | 'refused'
  /** Charges and entries are on this disk, not only videos and secrets. */
  readonly hasDatabase: boolean
}

const mebibyte = 1024 * 1024
/** Below this SQLite may find no room for a commit and its log. */
const leastBytes = 64 * mebibyte
/**
 * No answer leaves before its charge is on disk, so a call waits for one or two flushes. Server SSDs take 0.1 to 2 ms, a rotating disk
 * about 10; at 100 ms nobody takes it for a working service.
 */
const slowFlushMs = 15
const hopelessFlushMs = 100

export function checkDisk(facts: DiskFacts): Finding[] {
  const { folder, freeBytes, sizeBytes, warnBelowBytes } = facts
  const room = `${formatBytes(freeBytes)} of ${formatBytes(sizeBytes)} free for ${folder}`
  const more = 'Make room on this disk, or move FAIRGATE_DATA_DIR to a larger one.'
  const space =
    freeBytes < leastBytes
      ? fault(room, more)
      : freeBytes < warnBelowBytes
        ? warning(`${room}, less than warn_free_mebibytes`, more)
        : ok(room)
  return [space, ...judgeFlush(facts)]
}

function judgeFlush({ flushMs, folder, hasDatabase }: DiskFacts): Finding[] {
  if (flushMs === 'absent') return [ok(`${folder} is made at the first start`)]
  if (flushMs === 'refused')
    return [
      fault(
        `nothing can be written in ${folder}`,
        `Give the folder to the user of the server, for example: chown fairgate ${folder}`,
      ),
    ]
  const sorted = [...flushMs].sort((left, right) => left - right)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0
  const text = `a flush to disk takes ${middle.toFixed(middle < 10 ? 2 : 0)} ms at the median, ${(sorted.at(-1) ?? 0).toFixed(1)} ms at most`
  if (!hasDatabase || middle <= slowFlushMs) return [ok(text)]
  const fix = 'Put the data folder on an SSD of this machine, not on a network or USB disk.'
  return [middle > hopelessFlushMs ? fault(text, fix) : warning(text, fix)]
}

const flushes = 10
const page = Buffer.alloc(4096, 1)

/** Writes a small file a few times as a commit would, and removes it. */
export async function timeFlushes(folder: string, stopwatch: () => number): Promise<DiskFacts['flushMs']> {
  if (!existsSync(folder)) return (await canBeMade(folder)) ? 'absent' : 'refused'
  const path = join(folder, `.flush-${randomUUID()}`)
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      const times: number[] = []
      for (let index = 0; index < flushes; index += 1) {
        const started = stopwatch()
        await file.write(page, 0, page.length, index * page.length)
        await file.datasync()
        times.push(stopwatch() - started)
      }
      return times
    } finally {
      await file.close()
      await rm(path, { force: true })
    }
  } catch {
    return 'refused'
  }
}

async function canBeMade(folder: string): Promise<boolean> {
  let parent = dirname(folder)
  while (!existsSync(parent)) parent = dirname(parent)
  return access(parent, constants.W_OK).then(
    () => true,
    () => false,
  )
}

function formatBytes(bytes: number): string {
  return bytes < 10_000 * mebibyte
    ? `${Math.round(bytes / mebibyte)} MiB`
    : `${Math.round(bytes / (1024 * mebibyte))} GiB`
}
