// Turns the server's wall state into what the wall shows: each team's light, the current page of tiles, the large clock.
import type { WallState } from '@fairgate/contracts/console/wall.ts'
import type { LightTone } from '../show/light-sign.tsx'

export type Tile = WallState['tiles'][number]

/** One light per team, because no one in the hall reads four. */
export function toneOf({ state }: Tile): LightTone {
  if (state === 'budget_spent' || state === 'blocked') return 'blocked'
  if (state === 'not_started' || state === 'quiet') return 'none'
  return state === 'working' ? 'ok' : 'warn'
}

export const toneWords: Readonly<Record<LightTone, string>> = {
  ok: 'working',
  warn: 'needs attention',
  blocked: 'budget spent or blocked',
  none: 'quiet',
}

const maxTiles = 120
const pageTiles = 80
const pageMs = 20_000

export type TilePage = { readonly tiles: readonly Tile[]; readonly page: number; readonly pages: number }

/** Shows more than `maxTiles` teams in pages, one after the other. */
export function choosePage(tiles: readonly Tile[], now: number): TilePage {
  if (tiles.length <= maxTiles) return { tiles, page: 1, pages: 1 }
  const pages = Math.ceil(tiles.length / pageTiles)
  const page = Math.floor(now / pageMs) % pages
  return { tiles: tiles.slice(page * pageTiles, (page + 1) * pageTiles), page: page + 1, pages }
}

export type HallClock = {
  /** `2:28:41`, or the time of day if no end is known. */
  readonly large: string
  readonly below: string
}

/** `clockAt` formats an instant as a time of day in the event's zone. */
export function readClock(
  clock: WallState['clock'],
  now: number,
  clockAt: (at: number) => string,
): HallClock {
  if (clock.gateway === 'paused') return { large: 'Paused', below: clock.reason ?? 'The event is paused.' }
  if (clock.gateway === 'closed' && clock.opens_at !== null)
    return {
      large: countdown(Date.parse(clock.opens_at) - now),
      below: `until it opens at ${clockAt(Date.parse(clock.opens_at))}`,
    }
  if (clock.until === null)
    return { large: clockAt(now), below: clock.gateway === 'closed' ? 'The gateway is closed.' : '' }
  return {
    large: countdown(Date.parse(clock.until) - now),
    below: `left until ${clockAt(Date.parse(clock.until))}`,
  }
}

export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(seconds / 3600)
  return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
}

const endShownMs = 10_000

/** True for ten seconds after the end of a phase. */
export function isJustOver(until: string | null, now: number): boolean {
  if (until === null) return false
  const since = now - Date.parse(until)
  return since >= 0 && since < endShownMs
}

/** The end to count down to. A reached end stays for ten seconds, although the server already sends the next phase. */
export function followEnd(known: string | null, until: string | null, now: number): string | null {
  if (known === null || known === until) return until
  const left = Date.parse(known) - now
  return left <= clockStepMs && left > -endShownMs ? known : until
}

/** Allowed difference between the clocks of server and wall. */
const clockStepMs = 1500

/** The first 32 digits in groups of four, which people can write down. */
export function groupHead(sha256: string): string {
  return sha256.slice(0, 32).replaceAll(/(.{4})(?=.)/g, '$1 ')
}

/** Chooses the tile size, so that a few teams fill the wall as well as many. */
export function sizeTiles(count: number): 'large' | 'usual' | 'small' {
  if (count <= 20) return 'large'
  return count > 60 ? 'small' : 'usual'
}
