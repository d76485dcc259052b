// Builds the figures of an event's wall for the hall. Pure. Teams are never ordered by money.
import type { Overview } from '@fairgate/contracts/console/overview.ts'
import type { TeamRow, TeamState } from '@fairgate/contracts/console/teams.ts'
import { atWorkMinutes, type WallFigures } from '@fairgate/contracts/console/wall.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import { type Announcement, stateAt } from '../directory/announcements.ts'
import type { Event } from '../directory/event/event.ts'
import { headOfHeads } from '../evidence/head-of-heads.ts'

export type WallFacts = {
  /** Unix ms. */
  readonly now: number
  readonly event: Event
  readonly rows: readonly TeamRow[]
  readonly overview: Pick<Overview, 'calls_per_min' | 'entries_per_min'>
  readonly boards: readonly {
    readonly teamId: string
    readonly headSeq: number
    readonly headChain: string
  }[]
  readonly announcements: readonly Announcement[]
}

export function buildWallFigures(facts: WallFacts, showsBudgets: boolean): WallFigures {
  const { now, event, rows, overview, boards, announcements } = facts
  const since = now - atWorkMinutes * 60_000
  const isAtWork = ({ last_call, last_entry }: TeamRow) =>
    [last_call, last_entry].some(time => time !== null && Date.parse(time) >= since)
  const logs = boards.filter(({ headSeq }) => headSeq > 0)
  return {
    event_name: event.name,
    counters: {
      teams: rows.filter(({ state }) => state !== 'blocked').length,
      teams_at_work: rows.filter(isAtWork).length,
      calls: sum(rows.map(({ calls }) => calls)),
      calls_per_min: overview.calls_per_min,
      entries: sum(logs.map(({ headSeq }) => headSeq)),
      entries_per_min: overview.entries_per_min,
    },
    tiles: rows.map(row => buildTile(row, showsBudgets)).sort(compareNames),
    announcement: findNewest(announcements, now),
    head: { sha256: headOfHeads(logs), teams: logs.length, entries: sum(logs.map(({ headSeq }) => headSeq)) },
  }
}

type Tile = WallFigures['tiles'][number]

const aboutMoney: readonly TeamState[] = ['budget_spent', 'near_budget']

function buildTile(row: TeamRow, showsBudgets: boolean): Tile {
  const { team_id, team_alias, state, lights, budget_nano: budget, left_nano: left } = row
  const hasBar = showsBudgets && budget !== null && left !== null && budget > 0
  return {
    name: team_alias === '' ? team_id : team_alias,
    state: !showsBudgets && aboutMoney.includes(state) ? 'working' : state,
    lights: { key: lights.key.s, call: lights.call.s, rec: lights.rec.s },
    // Hundredths, because a wall is read from afar and need not change with each call.
    bar: hasBar ? Math.min(1, Math.round((left / budget) * 100) / 100) : null,
  }
}

/** The same order everywhere, regardless of the machine's locale. */
const byName = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

function compareNames(left: Tile, right: Tile): number {
  return byName.compare(left.name, right.name) || (left.name < right.name ? -1 : 1)
}

function findNewest(announcements: readonly Announcement[], now: number): WallFigures['announcement'] {
  const shown = announcements
    .filter(announcement => announcement.teams === null && stateAt(announcement, now) === 'shown')
    .toSorted((one, other) => other.from - one.from || other.createdAt - one.createdAt)[0]
  return shown === undefined ? null : { text: shown.text, link: shown.link, from: isoTime(shown.from) }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
