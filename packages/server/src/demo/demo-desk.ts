// Fills a server that is there to be tried with a rehearsed past, so that nobody looks at empty pages.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { CatalogModel } from '../catalog/types.ts'
import type { CallCorrections } from '../directory/correction-commands.ts'
import type { Directory } from '../directory/create-directory.ts'
import { periodOf } from '../ledger/budget-period.ts'
import { limitsOfEvent } from '../ledger/event-limits.ts'
import { costOf, type Units } from '../ledger/price.ts'
import { buildPastEvent, foundingOf, pastEventName } from './build-past-event.ts'
import { teamBudget } from './cast.ts'
import { type PastModel, type PastWork, planPast } from './plan-past.ts'
import { createSeededRandom, pastSeed } from './seeded-random.ts'
import { type Seat, type WritePastDependencies, type WrittenCall, writePast } from './write-past.ts'

export type DemoDeskDependencies = Omit<WritePastDependencies, 'upstream'> & {
  readonly directory: Pick<
    Directory,
    | 'teams'
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
  /** About a team, in the name of `actor`. */
  readonly writeNote: (teamId: string, text: string, actor: string) => Promise<unknown>
  readonly models: () => readonly CatalogModel[]
  /** Whether calls go to the embedded sandbox. */
  readonly isSandbox: boolean
  /** Of the team that the start makes, which may stay beside the past. */
  readonly demoTeamId: string
  readonly findUpstreamKey: (upstream: string) => string | null
  /** A link that opens the page of the key's team, once; null where there is no such page. */
  readonly makeTeamLink: (keyHash: string) => Promise<string | null>
  /** Of this machine, as an IANA name. */
  readonly timeZone: () => string
  /** Unix ms. */
  readonly clock: () => number
}

export type Filled = {
  readonly teams: number
  readonly members: number
  readonly calls: number
  readonly refused: number
  readonly entries: number
  /** Signs in once, to the page of a team that has worked. */
  readonly teamPage: string | null
}

/** Stands in the audit beside every change. */
const reason = 'Rehearsal: a made-up past'

export class DemoDesk {
  readonly #given: DemoDeskDependencies
  #isFilling = false

  constructor(dependencies: DemoDeskDependencies) {
    this.#given = dependencies
  }

  /** Whether the event of this server is a rehearsed one. */
  isFilled(): boolean {
    return this.#given.directory.event().name === pastEventName
  }

  /** Null where a past may be made up. */
  whyNot(): string | null {
    const { isSandbox, directory, demoTeamId } = this.#given
    if (!isSandbox)
      return 'The calls of this server go to a real provider. Only a server with the embedded sandbox takes a rehearsed past.'
    if (this.isFilled())
      return 'The rehearsed past is there already. To start over, stop the server and delete its data.'
    if (directory.teams().some(({ teamId }) => teamId !== demoTeamId))
      return 'This server has teams already, and a rehearsed past cannot be taken out again. Start another one with an empty data folder.'
    return this.#isFilling ? 'The past is being filled in just now.' : null
  }

  /** `actor` is who asked for it, for the audit. Throws ApiError `conflict` (409) where it must not be. */
  async fill(actor: string): Promise<Filled> {
    const message = this.whyNot()
    if (message !== null) throw new ApiError('conflict', { message })
    this.#isFilling = true
    try {
      return await this.#fill(actor)
    } finally {
      this.#isFilling = false
    }
  }

  /** What `fill` would make. */
  preview(): Filled {
    return { ...count(this.#plan(this.#given.clock())), teamPage: null }
  }

  #plan(now: number): PastWork[] {
    return planPast({ now, random: createSeededRandom(pastSeed), models: this.#chooseModels() })
  }

  async #fill(actor: string): Promise<Filled> {
    const { directory, clock, timeZone } = this.#given
    const now = clock()
    const works = this.#plan(now)
    // JSON is YAML too.
    const file = JSON.stringify(buildPastEvent(now, timeZone()))
    const at = foundingOf(now)
    const preview = await directory.applyEventFile({ file, reason, dry_run: true }, actor, at)
    await directory.applyEventFile({ file, reason, preview_id: preview.outcome.previewId }, actor, at)
    const upstream = { name: vendor, keyId: this.#given.findUpstreamKey(vendor) }
    for (const work of works) {
      const seats = await this.#makeSeats(work, now, actor)
      const { calls, pushes, recorders } = work
      const teamId = work.team.id
      const written = await writePast(
        { ...this.#given, upstream },
        { teamId, seats, calls, pushes, recorders },
      )
      await this.#endWork(work, written, actor)
    }
    const [shown] = works
    const [key] = shown === undefined ? [] : directory.keysOfTeam(shown.team.id)
    const teamPage = key === undefined ? null : await this.#given.makeTeamLink(key.keyHash)
    return { ...count(works), teamPage }
  }

  /** The cheapest chat model of the provider, one in the middle, and the dearest: those that the catalog prices by text. */
  #chooseModels(): PastModel[] {
    const priced = this.#given
      .models()
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

  async #makeSeats({ team }: PastWork, now: number, actor: string): Promise<Seat[]> {
    const { directory } = this.#given
    const found = directory.findTeam(team.id)
    if (found === undefined) throw new Error(`The team ${team.id} of the rehearsed past was not made.`)
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

  /** What organisers have done since, by the same acts as theirs. */
  async #endWork({ team }: PastWork, written: readonly WrittenCall[], actor: string): Promise<void> {
    const { directory, corrections } = this.#given
    const charged = written.filter(({ call }) => call.cost > 0)
    const last = charged.at(-1)
    if (last === undefined) return
    if (team.role === 'blocked') await directory.setTeamBlocked(team.id, true, actor)
    if (team.role === 'budget_spent') {
      const spent = charged.reduce((sum, { call }) => sum + call.cost, 0)
      const rest = teamBudget * 1e9 - spent
      // To the nano-dollar: a team that could pay for one more call would not be refused.
      if (rest > 0)
        await corrections.adjust(
          last.callId,
          { amount_nano: rest, reason: 'Rehearsal: the provider has billed this call higher.' },
          actor,
        )
    }
    if (team.role === 'quiet')
      await corrections.refund(
        last.callId,
        { reason: 'Rehearsal: the answer was empty, so the call is given back.' },
        actor,
      )
    if (team.role === 'refused_now')
      await directory.grantTeam(
        team.id,
        { amount_nano: 1_000_000_000, reason: 'Rehearsal: lost half an hour to a broken network.' },
        actor,
      )
    const noted = notes.find(({ role }) => role === team.role)
    if (noted !== undefined) await this.#given.writeNote(team.id, noted.text, actor)
    const asked = questions.find(({ role }) => role === team.role)
    if (asked !== undefined) await this.#askAs(team.id, asked, actor)
  }

  async #askAs(
    teamId: string,
    { text, answer }: { readonly text: string; readonly answer: string | null },
    actor: string,
  ): Promise<void> {
    const { directory } = this.#given
    const memberId = directory.membersOfTeam(teamId)[0]?.memberId ?? null
    const question = await directory.askQuestion({ teamId, memberId, text, page: null, callId: null })
    if (answer !== null)
      await directory.answerQuestion(question.question_id, { text: answer, audience: 'team' }, actor)
  }
}

const vendor = 'vendor'

const notes: readonly { readonly role: PastWork['team']['role']; readonly text: string }[] = [
  { role: 'quiet', text: 'They have left for lunch and did not come back. Ask at their table. (Rehearsal)' },
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
    text: 'One of our keys is refused again and again with rpm_exceeded. Can it have more? (Rehearsal)',
    answer: null,
  },
  {
    role: 'near_budget',
    text: 'May we use the dearest model for the last hour? (Rehearsal)',
    answer: 'Yes. Your budget decides, not the model.',
  },
]

function count(works: readonly PastWork[]): Omit<Filled, 'teamPage'> {
  const calls = works.flatMap(work => work.calls)
  return {
    teams: works.length,
    members: works.reduce((sum, { team }) => sum + team.members.length, 0),
    calls: calls.length,
    refused: calls.filter(({ outcome }) => outcome === 'refused').length,
    entries: works.flatMap(({ pushes }) => pushes).reduce((sum, { entries }) => sum + entries.length, 0),
  }
}
