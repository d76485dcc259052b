// Converts the set-up of judging between the form, where everything is text as typed, and the request body.
import type { JudgingSetup } from '@fairgate/contracts/judging/setup.ts'
import { readLocalMoments } from '@fairgate/contracts/text/zoned-time.ts'
import { toLocal } from '../event/draft-phases.ts'
import { readWhole } from '../team/read-fields.ts'
import { suggestTeamId } from '../teams/suggest-team-id.ts'

/** `key` identifies the row in the form. `id` is null until the row is saved, and then never changes. */
type Named = { readonly key: string; readonly id: string | null; readonly name: string }
export type DraftAnchor = { readonly key: string; readonly score: string; readonly text: string }
export type DraftCriterion = Named & {
  readonly help: string
  readonly weight: string
  readonly max: string
  readonly anchors: readonly DraftAnchor[]
}
export type DraftGate = Named & { readonly help: string }
export type DraftTrack = Named & { readonly teams: readonly string[] }
export type DraftTags = { readonly team: string; readonly tags: readonly string[] }
/** A step that decides between equal teams: a criterion by its key, or the judges' orders. The head judge is always the last step. */
export type DraftTie = string
export const byOrder = 'by order'

export type SetupDraft = {
  readonly criteria: readonly DraftCriterion[]
  readonly gates: readonly DraftGate[]
  readonly ranking: JudgingSetup['ranking']
  readonly ties: readonly DraftTie[]
  readonly judgesPerTeam: string
  readonly minutesPerTeam: string
  readonly minutesPerJudge: string
  readonly calibration: string | null
  readonly isBlind: boolean
  /** Local time in the event's zone; empty for none. */
  readonly opens: string
  readonly closes: string
  readonly tracks: readonly DraftTrack[]
  readonly tags: readonly DraftTags[]
  readonly seed: string
}

let made = 0
/** A key that no other row of this page has. */
export function nextKey(): string {
  made += 1
  return `new ${made} ${Date.now()}`
}

export function emptyCriterion(): DraftCriterion {
  return { key: nextKey(), id: null, name: '', help: '', weight: '1', max: '5', anchors: [] }
}

/** Three judgements a team and ten minutes each are what most events use. */
export function emptySetup(): SetupDraft {
  return {
    criteria: [emptyCriterion()],
    gates: [],
    ranking: 'mean',
    ties: [byOrder],
    judgesPerTeam: '3',
    minutesPerTeam: '10',
    minutesPerJudge: '120',
    calibration: null,
    isBlind: false,
    opens: '',
    closes: '',
    tracks: [],
    tags: [],
    seed: '',
  }
}

export function draftOfSetup(setup: JudgingSetup, zone: string): SetupDraft {
  const local = (at: string | null | undefined) =>
    typeof at === 'string' ? toLocal(Date.parse(at), zone) : ''
  return {
    criteria: setup.criteria.map(({ id, name, help, weight, max, anchors = [] }) => ({
      ...{ key: id, id, name, help: help ?? '', weight: String(weight), max: String(max) },
      anchors: anchors.map(({ score, text }, at) => ({ key: `${id} ${at}`, score: String(score), text })),
    })),
    gates: (setup.gates ?? []).map(({ id, name, help }) => ({ key: id, id, name, help: help ?? '' })),
    ranking: setup.ranking,
    ties: setup.ties.flatMap(step =>
      step.by === 'criterion' ? [step.criterion] : step.by === 'order' ? [byOrder] : [],
    ),
    judgesPerTeam: String(setup.judges_per_team),
    minutesPerTeam: String(setup.minutes_per_team),
    minutesPerJudge: String(setup.minutes_per_judge),
    calibration: setup.calibration_team ?? null,
    isBlind: setup.blind === true,
    opens: local(setup.opens_at),
    closes: local(setup.closes_at),
    tracks: (setup.tracks ?? []).map(({ id, name, teams }) => ({ key: id, id, name, teams })),
    tags: Object.entries(setup.team_tags ?? {}).map(([team, tags]) => ({ team, tags })),
    seed: setup.seed,
  }
}

/** What is wrong in the form, by field: `criterion.<key>.max`, `seed`. */
export type Faults = ReadonlyMap<string, string>

/** The set-up, or null with the faults that keep it from being sent. */
export function readSetup(
  draft: SetupDraft,
  zone: string,
): { readonly setup: JudgingSetup | null; readonly faults: Faults } {
  const faults = new Map<string, string>()
  const whole = (field: string, text: string, least: number, most: number) => {
    const value = readWhole(text)
    if (value !== null && value >= least && value <= most) return value
    faults.set(field, `Enter a whole number from ${least} to ${most}`)
    return least
  }
  const name = (field: string, text: string) => {
    if (text.trim() === '') faults.set(field, 'Enter a name')
    return text.trim()
  }
  const moment = (field: string, text: string) => {
    if (text === '') return null
    const [at] = readLocalMoments(text, zone) ?? []
    if (at === undefined) faults.set(field, 'Use the format 2026-11-21 18:00')
    return at === undefined ? null : new Date(at).toISOString()
  }
  const ids = nameRows([...draft.criteria, ...draft.gates])
  const trackIds = nameRows(draft.tracks)
  if (draft.criteria.length === 0) faults.set('criteria', 'Add at least one criterion')
  const criteria = draft.criteria.map(({ key, help, weight, max: maxText, anchors, ...row }) => {
    const max = whole(`criterion.${key}.max`, maxText, 1, 100)
    const written = anchors.filter(({ text }) => text.trim() !== '')
    return {
      id: ids.get(key) ?? '',
      name: name(`criterion.${key}.name`, row.name),
      ...(help.trim() === '' ? {} : { help: help.trim() }),
      weight: whole(`criterion.${key}.weight`, weight, 1, 1000),
      max,
      ...(written.length === 0
        ? {}
        : {
            anchors: written
              .map(({ key: anchor, score, text }) => ({
                score: whole(`anchor.${anchor}`, score, 0, max),
                text: text.trim(),
              }))
              .toSorted((one, other) => one.score - other.score),
          }),
    }
  })
  const gates = draft.gates.map(({ key, help, ...row }) => ({
    id: ids.get(key) ?? '',
    name: name(`gate.${key}`, row.name),
    ...(help.trim() === '' ? {} : { help: help.trim() }),
  }))
  const tracks = draft.tracks.map(({ key, teams, ...row }) => ({
    id: trackIds.get(key) ?? '',
    name: name(`track.${key}`, row.name),
    teams: [...teams],
  }))
  const seed = draft.seed.trim()
  if (seed === '') faults.set('seed', 'Throw dice, or write a seed')
  const opens_at = moment('opens', draft.opens)
  const closes_at = moment('closes', draft.closes)
  if (opens_at !== null && closes_at !== null && closes_at <= opens_at)
    faults.set('closes', 'This is not after the time above')
  const tags = draft.tags.filter(row => row.tags.length > 0)
  const setup: JudgingSetup = {
    criteria,
    ...(gates.length === 0 ? {} : { gates }),
    ranking: draft.ranking,
    ties: [
      ...draft.ties.flatMap<JudgingSetup['ties'][number]>(tie =>
        tie === byOrder
          ? [{ by: 'order' }]
          : ids.has(tie)
            ? [{ by: 'criterion', criterion: ids.get(tie) ?? '' }]
            : [],
      ),
      { by: 'head_judge' },
    ],
    judges_per_team: whole('judgesPerTeam', draft.judgesPerTeam, 1, 20),
    minutes_per_team: whole('minutesPerTeam', draft.minutesPerTeam, 1, 480),
    minutes_per_judge: whole('minutesPerJudge', draft.minutesPerJudge, 1, 10_080),
    ...(draft.calibration === null ? {} : { calibration_team: draft.calibration }),
    ...(draft.isBlind ? { blind: true } : {}),
    ...(opens_at === null ? {} : { opens_at }),
    ...(closes_at === null ? {} : { closes_at }),
    ...(tracks.length === 0 ? {} : { tracks }),
    ...(tags.length === 0
      ? {}
      : { team_tags: Object.fromEntries(tags.map(({ team, tags: own }) => [team, [...own]])) }),
    seed,
  }
  return { setup: faults.size === 0 ? setup : null, faults }
}

/** The ids by key: saved ones stay, and new rows are named after what they are called. */
function nameRows(rows: readonly Named[]): ReadonlyMap<string, string> {
  const taken = new Set(rows.flatMap(({ id }) => id ?? []))
  return new Map(
    rows.map(({ key, id, name }) => {
      if (id !== null) return [key, id] as const
      const word = suggestTeamId(name).slice(0, 34)
      const base = /^[a-z]/.test(word) ? word : `c-${word}`.replace(/-$/, '')
      let free = base
      for (let count = 2; taken.has(free); count += 1) free = `${base}-${count}`
      taken.add(free)
      return [key, free] as const
    }),
  )
}

const memberNames: Readonly<Record<keyof JudgingSetup, string>> = {
  criteria: 'criteria',
  gates: 'gates',
  ranking: 'what decides',
  ties: 'steps for equal teams',
  judges_per_team: 'judges per team',
  minutes_per_team: 'minutes per team',
  minutes_per_judge: 'minutes per judge',
  calibration_team: 'calibration team',
  blind: 'blind',
  opens_at: 'opening time',
  closes_at: 'closing time',
  tracks: 'tracks',
  team_tags: 'schools and companies',
  seed: 'seed',
}

/** Names of the parts that differ, as the form calls them. */
export function listChangedParts(before: JudgingSetup | null, after: JudgingSetup | null): string[] {
  const names = Object.keys(memberNames) as (keyof JudgingSetup)[]
  return names.flatMap(name =>
    JSON.stringify(before?.[name] ?? null) === JSON.stringify(after?.[name] ?? null)
      ? []
      : [memberNames[name]],
  )
}

/** Moves the item at `from` by one place; the same list if it is at the end already. */
export function moveBy<Item>(items: readonly Item[], from: number, by: 1 | -1): readonly Item[] {
  const item = items[from]
  const to = from + by
  if (item === undefined || to < 0 || to >= items.length) return items
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}
