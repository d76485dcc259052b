// Checks the machine: the disk of the data folder, the clock, the ports of the doors and the file descriptors.
import { randomUUID } from 'node:crypto'
import { constants, existsSync } from 'node:fs'
import { access, open, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import type { DescriptorFacts } from '../../process/watch-descriptors.ts'
import { type Found, fault, ok, warning } from './finding.ts'

export type DiskFacts = {
  readonly folder: string
  readonly freeBytes: number
  readonly sizeBytes: number
  readonly warnBelowBytes: number
  /** Times of individual writes of one page, in ms. `absent`: the folder does not exist yet but can be created. */
  readonly flushMs: readonly number[] | 'absent' | 'refused'
  /** True if charges and entries are on this disk, not only videos and secrets. */
  readonly hasDatabase: boolean
}

const mebibyte = 1024 * 1024
/** With less, SQLite may not have room for a commit and its log. */
const leastBytes = 64 * mebibyte
/**
 * No answer leaves before its charge is on disk, so a call waits for one or two flushes. Server SSDs take 0.1 to 2 ms, a rotating disk
 * about 10; at 100 ms the service seems broken.
 */
const slowFlushMs = 15
const hopelessFlushMs = 100

export function checkDisk(facts: DiskFacts): Found {
  const { folder, freeBytes, sizeBytes, warnBelowBytes } = facts
  const room = `${formatBytes(freeBytes)} of ${formatBytes(sizeBytes)} free for ${folder}`
  const more = 'Free space on this disk, or move FAIRGATE_DATA_DIR to a larger one.'
  const space =
    freeBytes < leastBytes
      ? fault(room, more)
      : freeBytes < warnBelowBytes
        ? warning(`${room}, less than warn_free_mebibytes`, more)
        : ok(room)
  return [space, judgeFlush(facts)].flat()
}

function judgeFlush({ flushMs, folder, hasDatabase }: DiskFacts): Found {
  if (flushMs === 'absent') return ok(`${folder} is created at the first start`)
  if (flushMs === 'refused')
    return fault(
      `${folder} is not writable`,
      `Make the server's user the owner of the folder, for example: chown fairgate ${folder}`,
    )
  const sorted = [...flushMs].sort((left, right) => left - right)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0
  const text = `a flush to disk takes ${middle.toFixed(middle < 10 ? 2 : 0)} ms at the median, ${(sorted.at(-1) ?? 0).toFixed(1)} ms at most`
  if (!hasDatabase || middle <= slowFlushMs) return ok(text)
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

/** How far another clock is ahead of ours, in ms. */
export type ClockReading = {
  readonly source: string
  readonly aheadMs: number
  /** Uncertainty of the reading itself. */
  readonly errorMs: number
}

/** Participants notice a second at a deadline. Half a minute also breaks upstream keys and certificates. */
const worthWarningMs = 500
const worthFaultMs = 30_000

const setClock = 'Let the system set the clock, for example: timedatectl set-ntp true'

export function checkClock(readings: readonly ClockReading[]): Found {
  if (readings.length === 0) return ok('there is no other clock to compare with')
  return readings.map(({ source, aheadMs, errorMs }) => {
    const surelyMs = Math.max(0, Math.abs(aheadMs) - errorMs)
    const text = `this clock is ${describeOffset(aheadMs, errorMs)} that of ${source}`
    if (surelyMs > worthFaultMs) return fault(text, setClock)
    return surelyMs > worthWarningMs ? warning(text, setClock) : ok(text)
  })
}

function describeOffset(aheadMs: number, errorMs: number): string {
  if (Math.abs(aheadMs) <= errorMs) return `within ${Math.ceil(errorMs)} ms of`
  return `${Math.round(Math.abs(aheadMs))} ms ${aheadMs > 0 ? 'behind' : 'ahead of'}`
}

/** Calculated from the moments before and after one request, and the other clock's reading in between. `resolutionMs`: the step of that clock. */
export function readClock(
  source: string,
  asked: { readonly before: number; readonly said: number; readonly after: number },
  resolutionMs: number,
): ClockReading {
  const { before, said, after } = asked
  // A coarse clock truncates: on average it is half a step behind.
  const meant = said + resolutionMs / 2
  return {
    source,
    aheadMs: meant - (before + after) / 2,
    errorMs: (after - before) / 2 + resolutionMs / 2,
  }
}

export type PortPlace = { readonly name: string; readonly host: string; readonly port: number }

/** `isServing`: the ports are those of the running server itself. */
export async function checkPorts(places: readonly PortPlace[], isServing: boolean): Promise<Found> {
  if (isServing) return ok(`open: ${places.map(describePlace).join(', ')}`)
  const findings = await Promise.all(places.map(tryPort))
  return findings.flat()
}

function describePlace({ name, host, port }: PortPlace): string {
  return `${name} ${host.includes(':') ? `[${host}]` : host}:${port}`
}

async function tryPort(place: PortPlace): Promise<Found> {
  if (place.port === 0)
    return warning(
      `${place.name} takes any free port at each start`,
      `Set a port for the ${place.name} door.`,
    )
  const code = await listenOnce(place)
  if (code === null) return ok(`${describePlace(place)} is free`)
  const text = `${describePlace(place)} cannot be opened (${code})`
  const fixes: Readonly<Record<string, string>> = {
    EADDRINUSE: `Stop the program that uses it (ss -ltnp 'sport = :${place.port}'), or choose another port.`,
    EACCES: 'Ports below 1024 need a privilege: put a proxy in front (deploy/), or choose a higher port.',
    EADDRNOTAVAIL: 'This machine does not have that address. Correct FAIRGATE_HOST or FAIRGATE_ADMIN_HOST.',
    ENOTFOUND: 'This name has no address. Correct FAIRGATE_HOST or FAIRGATE_ADMIN_HOST.',
  }
  return fault(text, fixes[code] ?? 'Choose another address or port.')
}

/** Null if it could be opened. */
function listenOnce({ host, port }: PortPlace): Promise<string | null> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
}

/** A call that waits for its upstream takes up to three: enough for 1,000 calls at once and the reserve. */
const enoughDescriptors = 4096
const raiseLimit =
  'Raise the limit: LimitNOFILE of systemd (deploy/systemd), ulimits of Docker, or ulimit -n.'

/** `isServing`: the figures are the server's, not this command's. */
export function checkDescriptors(facts: DescriptorFacts, isServing: boolean): Found {
  const { limit, open, reserve, isHolding } = facts
  if (limit === null) return ok('this system does not report how many descriptors a process may open')
  const use = isServing ? `${open} of ${limit} descriptors in use` : `a process may open ${limit} descriptors`
  if (isHolding)
    return fault(
      `${use}: new connections wait until some are closed`,
      `${raiseLimit} To see who holds the connections: ss -tn state established`,
    )
  if (limit < enoughDescriptors) return warning(`${use}, fewer than ${enoughDescriptors}`, raiseLimit)
  if (!isServing) return ok(use)
  return reserve === null
    ? warning(`${use}; on this system connections may use up all of them`, 'Run the server on Linux.')
    : ok(`${use}; new connections wait from ${limit - reserve} on`)
}
