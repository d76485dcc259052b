// Codes that provide teams with keys without a file full of secrets: created, renewed and revoked by organisers, with one working code per team.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type {
  ClaimRecord,
  MadeClaim,
  NewClaimsBody,
  RenewClaimBody,
  RevokeClaimQuery,
} from '@fairgate/contracts/management/claims.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import encodeQR from 'qr'
import { toAuditRow } from '../directory/audit.ts'
import type { Directory } from '../directory/create-directory.ts'
import { hashSecret } from '../directory/create-secret.ts'
import { parseKeyDuration } from '../directory/parse-key-duration.ts'
import { type ActionResult, carryOutPlan, type Plan, planChange } from '../directory/planned-action.ts'
import { parseMember, refuseValue, requireTeam } from '../directory/refusals.ts'
import type { Member } from '../directory/types.ts'
import type { ClaimRow, ForeseenTeams } from '../store/statements/claims.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { createCode } from './claim-code.ts'

export type ClaimServiceDependencies = Pick<World, 'clock' | 'randomBytes' | 'newId'> & {
  readonly directory: Pick<Directory, 'findTeam' | 'teams' | 'membersOfTeam'>
  readonly read: Pick<Store['read'], 'findClaim' | 'listClaims'>
  readonly write: Pick<Store['write'], 'insertClaims' | 'endClaim'>
  /** As clients use them, without a trailing slash. */
  readonly addresses: () => { readonly gateway: string }
}

const usualDurationMs = 7 * 86_400_000
/** Seats that are taken between reading and writing are seen at the next try. */
const maxTries = 5

export class ClaimService {
  readonly #given: ClaimServiceDependencies

  constructor(dependencies: ClaimServiceDependencies) {
    this.#given = dependencies
  }

  /** Throws ApiError `team_not_found`, `invalid_request`, and `conflict` for teams that have a working code. */
  async create(body: NewClaimsBody, actor: string): Promise<ActionResult<{ readonly items: MadeClaim[] }>> {
    const { teams: wanted, seats, duration, reason } = body
    const { directory, write, clock } = this.#given
    const now = clock()
    const having = await this.#teamsWithCode(now)
    const teams =
      wanted === 'all'
        ? directory.teams().filter(({ teamId, blocked }) => blocked !== true && !having.has(teamId))
        : [...new Set(wanted)].map(id => requireTeam(directory, id))
    const durationMs = readDuration(duration)
    const expiresAt = now + durationMs
    for (const team of teams) this.#requireSeats(team.teamId, seats ?? 0)
    refuseTaken(teams.map(({ teamId }) => teamId).filter(teamId => having.has(teamId)))
    const plan: Plan = {
      changes: teams.flatMap(({ teamId }) => this.#planCode(teamId, seats ?? 0, durationMs)),
    }
    return await carryOutPlan(plan, body, async () => {
      const made = teams.map(({ teamId }) => this.#build(teamId, seats ?? 0, expiresAt, now, actor))
      const claims = made.map(({ row }) => row)
      if (claims.length === 0) return { items: [] }
      const audit = claims.map(row => {
        const named = { action: 'claim.new', teamId: row.team_id, target: row.claim_id }
        return toAuditRow({ now, actor, reason }, { ...named, before: null, after: this.describe(row) })
      })
      const foreseen = this.#foresee(body, claims, wanted === 'all')
      const written = await write.insertClaims({ claims, foreseen, now, audit })
      if (written.kind === 'outdated') throw new ApiError('preview_outdated')
      // Another organiser may have created one meanwhile.
      if (written.kind === 'taken') refuseTaken(written.teamIds)
      return { items: made.map(({ row, code }) => this.#describeMade(row, code)) }
    })
  }

  async list(input: {
    readonly teamId: string | null
    readonly ended: boolean
    readonly limit: number
    readonly after: string | null
  }): Promise<{ readonly items: ClaimRecord[]; readonly next: string | null }> {
    const { read, clock } = this.#given
    const after = input.after === null ? null : await read.findClaim({ claimId: input.after })
    if (input.after !== null && after === null)
      throw refuseValue('after', 'use the `next` of the previous page.')
    const { teamId, limit } = input
    const rows = await read.listClaims({
      teamId,
      workingAt: input.ended ? null : clock(),
      after,
      limit: limit + 1,
    })
    const page = rows.slice(0, limit)
    return {
      items: page.map(row => this.describe(row)),
      next: rows.length > limit ? (page.at(-1)?.claim_id ?? null) : null,
    }
  }

  find(claimId: string): Promise<ClaimRow> {
    return requireClaim(this.#given.read, claimId)
  }

  /** Replaces this code with a new one, for the remaining seats unless `seats` sets another number. */
  async renew(claimId: string, body: RenewClaimBody, actor: string): Promise<ActionResult<MadeClaim>> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { outcome, made } = await this.#tryToRenew(claimId, body, actor)
      if (made !== null || !outcome.applied) return { outcome, made }
    }
    throw new ApiError('conflict', {
      message: 'Seats keep being taken with this code. Nothing was changed; try again.',
    })
  }

  /** Nothing is created if seats were taken meanwhile. */
  async #tryToRenew(
    claimId: string,
    body: RenewClaimBody,
    actor: string,
  ): Promise<ActionResult<MadeClaim | null>> {
    const { duration, seats, reason } = body
    const { write, clock } = this.#given
    const claim = await this.find(claimId)
    const now = clock()
    const left = seats ?? claim.seats_left
    this.#requireSeats(claim.team_id, left)
    const durationMs = readDuration(duration)
    if (claim.ended_at !== null) throw refuseEnded(claim)
    const plan: Plan = {
      changes: [
        ...planChange('claim.state', claimId, stateOf(claim, now), 'renewed'),
        ...this.#planCode(claim.team_id, left, durationMs),
      ],
    }
    return await carryOutPlan(plan, body, async () => {
      const { row, code } = this.#build(claim.team_id, left, now + durationMs, now, actor)
      const audited = { action: 'claim.renew', teamId: claim.team_id, target: claimId }
      const states = { before: this.describe(claim), after: this.describe(row) }
      const audit = toAuditRow({ now, actor, reason }, { ...audited, ...states })
      const written = await write.endClaim({
        claimId,
        reason: 'renewed',
        now,
        next: row,
        seatsLeft: typeof seats === 'number' ? null : claim.seats_left,
        foreseen: this.#foresee(body, [row], false),
        audit,
      })
      if (written !== 'written' && isPreviewed(body)) throw new ApiError('preview_outdated')
      if (written === 'outdated') return null
      if (written === 'ended') throw refuseEnded(await this.find(claimId))
      return this.#describeMade(row, code)
    })
  }

  /** Revoking again changes nothing. */
  async revoke(claimId: string, query: RevokeClaimQuery, actor: string): Promise<ActionResult<ClaimRecord>> {
    const { write, clock } = this.#given
    const claim = await this.find(claimId)
    const now = clock()
    const changes =
      claim.ended_at === null ? planChange('claim.state', claimId, stateOf(claim, now), 'revoked') : []
    return await carryOutPlan({ changes }, query, async () => {
      const ended = this.describe({ ...claim, ended_at: now, end_reason: 'revoked' })
      const audited = { action: 'claim.revoke', teamId: claim.team_id, target: claimId }
      const states = { before: this.describe(claim), after: ended }
      const audit = toAuditRow({ now, actor, reason: query.reason }, { ...audited, ...states })
      const ending = { claimId, reason: 'revoked', now, next: null, seatsLeft: null, foreseen: null } as const
      const written = await write.endClaim({ ...ending, audit })
      // It was ended after it was read.
      if (written !== 'written' && claim.ended_at === null && isPreviewed(query))
        throw new ApiError('preview_outdated')
      return this.describe(await this.find(claimId))
    })
  }

  describe(row: ClaimRow): ClaimRecord {
    const { directory, clock } = this.#given
    return {
      claim_id: row.claim_id,
      team_id: row.team_id,
      team_alias: directory.findTeam(row.team_id)?.alias ?? row.team_id,
      code_name: row.code_name,
      state: stateOf(row, clock()),
      free_members: this.#freeMembers(row.team_id).length,
      seats: row.seats,
      seats_left: row.seats_left,
      uses: row.uses,
      last_used_at: isoTime(row.last_used_at),
      expires_at: isoTime(row.expires_at),
      ended_at: isoTime(row.ended_at),
      created_at: isoTime(row.created_at),
      created_by: row.created_by,
    }
  }

  #freeMembers(teamId: string): readonly Member[] {
    return this.#given.directory.membersOfTeam(teamId).filter(({ claimedAt }) => claimedAt === null)
  }

  #requireSeats(teamId: string, seats: number): void {
    if (seats > 0 || this.#freeMembers(teamId).length > 0) return
    throw refuseValue(
      'seats',
      `the team "${teamId}" has no member with a free seat. Add members, or allow seats for others.`,
    )
  }

  /** Expectations that the writing transaction checks; null if no preview was shown. */
  #foresee(body: ActionBody, claims: readonly ClaimRow[], isEveryTeam: boolean): ForeseenTeams | null {
    if (!isPreviewed(body)) return null
    const freeMembers = claims.map(({ team_id: teamId }) => ({
      teamId,
      count: this.#freeMembers(teamId).length,
    }))
    return { freeMembers, isEveryTeam }
  }

  /** A second request for `all` gets only what is missing. */
  async #teamsWithCode(now: number): Promise<ReadonlySet<string>> {
    const { read } = this.#given
    const working = await read.listClaims({ teamId: null, workingAt: now, after: null, limit: 100_000 })
    return new Set(working.map(({ team_id }) => team_id))
  }

  /** Seats and lifetime of a new code. Its expiry depends on when it is created. */
  #planCode(teamId: string, seats: number, durationMs: number): Plan['changes'] {
    return [
      ...planChange('claim.free_members', teamId, null, this.#freeMembers(teamId).length),
      ...planChange('claim.seats', teamId, null, seats),
      ...planChange('claim.duration_ms', teamId, null, durationMs),
    ]
  }

  #build(teamId: string, seats: number, expiresAt: number, now: number, actor: string) {
    const { newId, randomBytes } = this.#given
    const code = createCode(randomBytes)
    const row: ClaimRow = {
      claim_id: `cl_${newId()}`,
      team_id: teamId,
      code_hash: hashSecret(code),
      code_name: code.slice(-4),
      seats,
      seats_left: seats,
      uses: 0,
      last_used_at: null,
      expires_at: expiresAt,
      ended_at: null,
      end_reason: null,
      created_at: now,
      created_by: actor,
    }
    return { row, code }
  }

  #describeMade(row: ClaimRow, code: string): MadeClaim {
    const url = `${this.#given.addresses().gateway}/join/${code}`
    return { ...this.describe(row), code, url, qr_svg: encodeQR(url, 'svg', { ecc: 'medium', border: 2 }) }
  }
}

function isPreviewed({ preview_id: previewId }: ActionBody): boolean {
  return typeof previewId === 'string'
}

/** Throws ApiError `claim_not_found`. */
export async function requireClaim(
  read: Pick<Store['read'], 'findClaim'>,
  claimId: string,
): Promise<ClaimRow> {
  const claim = await read.findClaim({ claimId })
  if (claim === null) throw new ApiError('claim_not_found', { param: 'claim_id' })
  return claim
}

/** Throws ApiError `conflict` if there are any. */
function refuseTaken(teamIds: readonly string[]): void {
  if (teamIds.length === 0) return
  const named = teamIds.slice(0, 20).join(', ')
  throw new ApiError('conflict', {
    param: 'teams',
    message: `These teams already have a working code: ${named}. Renew or revoke it first.`,
  })
}

function readDuration(duration: string | null | undefined): number {
  if (duration === undefined || duration === null) return usualDurationMs
  return parseMember('duration', () => parseKeyDuration(duration))
}

export function stateOf({ ended_at, end_reason, expires_at }: ClaimRow, now: number): ClaimRecord['state'] {
  if (ended_at !== null) return end_reason === 'renewed' ? 'renewed' : 'revoked'
  return expires_at <= now ? 'expired' : 'works'
}

export function refuseEnded({ end_reason }: ClaimRow): ApiError {
  const why =
    end_reason === 'renewed'
      ? 'This code was replaced: your team has a newer one.'
      : end_reason === 'revoked'
        ? 'The organisers have revoked this code.'
        : 'This code has expired.'
  return new ApiError('join_ended', { message: `${why} Ask the organisers.` })
}
