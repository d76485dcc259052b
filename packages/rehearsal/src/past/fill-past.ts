// Makes up an event that has been running for five hours: teams and keys through organiser commands, calls and entries with past times.
import type { CatalogModel } from '../../../server/src/catalog/types.ts'
import type { CallCorrections } from '../../../server/src/directory/call-corrections.ts'
import type { Directory } from '../../../server/src/directory/create-directory.ts'
import { periodOf } from '../../../server/src/ledger/budget-period.ts'
import { limitsOfEvent } from '../../../server/src/ledger/event-limits.ts'
import { costOf, type Units } from '../../../server/src/ledger/price.ts'
import { buildPastEvent, foundingOf } from './build-past-event.ts'
import { teamBudget } from './cast.ts'
import { type PastModel, type PastWork, planPast } from './plan-past.ts'
import { createSeededRandom, pastSeed } from './seeded-random.ts'
import { type Seat, type WritePastDependencies, type WrittenCall, writePast } from './write-past.ts'

/** The server modules that store the past, on its database. */
export type PastKeeper = {
  readonly directory: Pick<
    Directory,
    | 'findTeam'
    | 'keysOfTeam'
    | 'membersOfTeam'
    | 'event'
    | 'applyEventFile'
    | 'generateLogToken'
    | 'setTeamBlocked'
    | 'grantTeam'
    | 'askQuestion'
    | 'answerQuestion'
  >
  readonly corrections: Pick<CallCorrections, 'refund' | 'adjust'>
  /** About a team. */
  readonly writeNote: (teamId: string, text: string, actor: string) => Promise<unknown>
  readonly writing: Omit<WritePastDependencies, 'upstream'>
  readonly models: readonly CatalogModel[]
  readonly timeZone: string
  /** Unix ms. */
  readonly clock: () => number
  /** Runs a function as if it were another time (Unix ms). */
  readonly backdate: (at: number, run: () => Promise<unknown>) => Promise<void>
}

export type Filled = {
  readonly teams: number
  readonly members: number
  readonly calls: number
  readonly refused: number
  readonly entries: number
  /** The id of a team that has worked and has no problems. */
  readonly shownTeam: string
}

/** Reason in the audit for every change. */
const reason = 'Rehearsal: sample data'
/** Author of the organisers' changes: the first admin key. */
const actor = 'admin'
const vendor = 'vendor'
/** A stand-in key: the server that starts afterwards has another one. */
const upstream = { name: vendor, keyId: '5eed5eed5eed5eed' }

/** The directory must have no teams. */
export async function fillPast(keeper: PastKeeper): Promise<Filled> {
  const now = keeper.clock()
  const works = planPast({
    now,
    random: createSeededRandom(pastSeed),
    models: chooseModels(keeper.models),
  })
  await keeper.backdate(foundingOf(now), () => applyEvent(keeper, now))
  for (const work of works) {
    const seats = await makeSeats(keeper, work, now)
    const { calls, pushes, recorders } = work
    const teamId = work.team.id
    const past = { teamId, seats, calls, pushes, recorders }
    await endWork(keeper, work, await writePast({ ...keeper.writing, upstream }, past))
  }
  const calls = works.flatMap(work => work.calls)
  const [shown] = works
  return {
    teams: works.length,
    members: works.reduce((sum, { team }) => sum + team.members.length, 0),
    calls: calls.length,
    refused: calls.filter(({ outcome }) => outcome === 'refused').length,
    entries: works.flatMap(({ pushes }) => pushes).reduce((sum, { entries }) => sum + entries.length, 0),
    shownTeam: shown?.team.id ?? '',
  }
}

async function applyEvent({ directory, timeZone }: PastKeeper, now: number): Promise<void> {
  // JSON is YAML too.
  const file = JSON.stringify(buildPastEvent(now, timeZone))
  const preview = await directory.applyEventFile({ file, reason, dry_run: true }, actor)
  await directory.applyEventFile({ file, reason, preview_id: preview.outcome.previewId }, actor)
}

/** The provider's cheapest, middle and most expensive chat models among those that the catalog prices by text. */
function chooseModels(models: readonly CatalogModel[]): PastModel[] {
  const priced = models
    .filter(({ modality, upstream, id }) => modality === 'chat' && upstream === vendor && !id.includes('*'))
    .map((model): PastModel & { readonly probe: number } => {
      const price = (units: Units) =>
        costOf(model.price, units, (units.inputText ?? 0) + (units.cachedInput ?? 0))
      return { id: model.id, costOf: price, probe: price({ inputText: 1000, outputText: 1000 }) }
    })
    .sort((left, right) => left.probe - right.probe)
  const chosen = [priced[0], priced[Math.floor(priced.length / 2)], priced.at(-1)]
  return [...new Set(chosen)].filter(model => model !== undefined)
}

async function makeSeats({ directory }: PastKeeper, { team }: PastWork, now: number): Promise<Seat[]> {
  const found = directory.findTeam(team.id)
  if (found === undefined) throw new Error(`Sample team ${team.id} was not created.`)
  const since = limitsOfEvent(directory.event(), now)?.since ?? null
  const startOf = (owner: { readonly budgetDuration: string | null; readonly budgetAnchor: number }) =>
    periodOf(owner.budgetDuration, owner.budgetAnchor, now, since).start
  const members = directory.membersOfTeam(team.id)
  const keys = directory.keysOfTeam(team.id)
  const seats: Seat[] = []
  for (const name of team.members) {
    const memberId = members.find(member => member.name === name)?.memberId
    const key = keys.find(each => each.memberId === memberId)
    if (memberId === undefined || key === undefined) throw new Error(`${name} of ${team.id} has no key.`)
    const { token } = await directory.generateLogToken({ team_id: team.id, member_id: memberId }, actor)
    const periods = { team: startOf(found), key: startOf(key) }
    seats.push({ keyHash: key.keyHash, tokenId: token.tokenId, periods })
  }
  return seats
}

/** Makes the organisers' later changes with their own commands. */
async function endWork(
  keeper: PastKeeper,
  { team }: PastWork,
  written: readonly WrittenCall[],
): Promise<void> {
  const { directory, corrections, writeNote } = keeper
  const charged = written.filter(({ call }) => call.cost > 0)
  const last = charged.at(-1)
  if (last === undefined) return
  if (team.role === 'blocked') await directory.setTeamBlocked(team.id, true, actor)
  if (team.role === 'budget_spent') {
    const spent = charged.reduce((sum, { call }) => sum + call.cost, 0)
    const rest = teamBudget * 1e9 - spent
    // Exact to the nano-dollar: a team that could pay for one more call would not be refused.
    if (rest > 0)
      await corrections.adjust(
        last.callId,
        { amount_nano: rest, reason: 'Rehearsal: the provider billed more for this call.' },
        actor,
      )
  }
  if (team.role === 'quiet')
    await corrections.refund(
      last.callId,
      { reason: 'Rehearsal: the answer was empty, so the call is refunded.' },
      actor,
    )
  if (team.role === 'refused_now')
    await directory.grantTeam(
      team.id,
      { amount_nano: 1_000_000_000, reason: 'Rehearsal: lost half an hour to a broken network.' },
      actor,
    )
  const noted = notes.find(({ role }) => role === team.role)
  if (noted !== undefined) await writeNote(team.id, noted.text, actor)
  const asked = questions.find(({ role }) => role === team.role)
  if (asked !== undefined) await askAs(keeper, team.id, asked)
}

async function askAs(
  { directory }: PastKeeper,
  teamId: string,
  { text, answer }: { readonly text: string; readonly answer: string | null },
): Promise<void> {
  const memberId = directory.membersOfTeam(teamId)[0]?.memberId ?? null
  const question = await directory.askQuestion({ teamId, memberId, text, page: null, callId: null })
  if (answer !== null)
    await directory.answerQuestion(question.question_id, { text: answer, audience: 'team' }, actor)
}

const notes: readonly { readonly role: PastWork['team']['role']; readonly text: string }[] = [
  { role: 'quiet', text: 'They left for lunch and have not come back. Ask at their table. (Rehearsal)' },
  { role: 'near_budget', text: 'Asks for a failing test before each fix. Worth a look. (Rehearsal)' },
]

/** One waits for its answer. */
const questions: readonly {
  readonly role: PastWork['team']['role']
  readonly text: string
  readonly answer: string | null
}[] = [
  {
    role: 'refused_now',
    text: 'One of our keys keeps getting rpm_exceeded. Can its limit be raised? (Rehearsal)',
    answer: null,
  },
  {
    role: 'near_budget',
    text: 'May we use the most expensive model for the last hour? (Rehearsal)',
    answer: 'Yes, as long as your budget lasts.',
  },
]
