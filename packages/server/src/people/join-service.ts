// Serves members who have their team's code: tickets for laptops, and a key and a log token for each ticket.
import { createHmac } from 'node:crypto'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { Joined, JoinForm } from '@fairgate/contracts/join/join.ts'
import type { Directory } from '../directory/create-directory.ts'
import { createSecret, describeDamage, hashSecret, type Secret } from '../directory/create-secret.ts'
import { refuseValue } from '../directory/refusals.ts'
import type { Member, Team } from '../directory/types.ts'
import type { ClaimRow, TicketRow } from '../store/statements/claims.ts'
import type { Store } from '../store/store.ts'
import type { World } from '../world/world.ts'
import { isWholeCode, normaliseCode } from './claim-code.ts'
import { refuseEnded, requireClaim, stateOf } from './claim-service.ts'

export type JoinServiceDependencies = Pick<World, 'clock' | 'randomBytes'> & {
  readonly directory: Pick<Directory, 'findTeam' | 'findKey' | 'findMember' | 'membersOfTeam' | 'takeSeat'>
  readonly read: Pick<Store['read'], 'findClaim' | 'findClaimByCode' | 'findTicket'>
  readonly write: Pick<Store['write'], 'insertTicket' | 'signInByTicket'>
  /** As clients use them, without a trailing slash. */
  readonly addresses: () => { readonly gateway: string; readonly logbook: string }
}

/** How long a ticket's line works: long enough to find the repository and a terminal, too short to be worth passing on. */
export const ticketMs = 15 * 60_000

const followedMs = 3_600_000

/** A working code, and what its page shows. */
export type OpenClaim = {
  readonly claim: ClaimRow
  readonly team: Team
  /** Members on the list who have a free seat. */
  readonly freeMembers: readonly Member[]
  readonly takenMembers: readonly Member[]
}

type Choice = Pick<JoinForm, 'member' | 'name'>

export class JoinService {
  readonly #given: JoinServiceDependencies

  constructor(dependencies: JoinServiceDependencies) {
    this.#given = dependencies
  }

  /** The result of looking a code up. Throws ApiError `join_not_found`, `join_ended`, and `join_refused` for a blocked team. */
  async open(typed: string): Promise<OpenClaim> {
    const { read, directory } = this.#given
    const code = normaliseCode(typed)
    if (!isWholeCode(code))
      throw new ApiError('join_not_found', {
        message:
          'This code is mistyped or cut off: its last character does not match the others. Check it again.',
      })
    const claim = await read.findClaimByCode({ codeHash: hashSecret(code) })
    if (claim === null)
      throw new ApiError('join_not_found', {
        message: 'No team has this code. Ask the organisers for yours.',
      })
    this.#requireWorking(claim)
    const team = this.#requireOpenTeam(claim.team_id)
    const members = directory.membersOfTeam(team.teamId)
    return {
      claim,
      team,
      freeMembers: members.filter(({ claimedAt }) => claimedAt === null),
      takenMembers: members.filter(({ claimedAt }) => claimedAt !== null),
    }
  }

  /** A ticket for a line to paste; the seat is taken when the ticket is used. Throws ApiError `conflict` if no seat is free. */
  async giveTicket(opened: OpenClaim, choice: Choice): Promise<string> {
    const { write, clock, randomBytes } = this.#given
    const { memberId, name } = choosePerson(opened, choice)
    const now = clock()
    const { secret, hash } = createSecret('jt_', randomBytes)
    const ticket: TicketRow = {
      ticket_hash: hash,
      claim_id: opened.claim.claim_id,
      team_id: opened.team.teamId,
      member_id: memberId,
      name,
      salt: randomBytes(32).toString('hex'),
      laptop_hash: null,
      created_at: now,
      expires_at: now + ticketMs,
      used_at: null,
      key_hash: null,
      signed_in_at: null,
    }
    if (await write.insertTicket({ ticket })) return secret
    throw new ApiError('join_refused', {
      message:
        'Too many lines of this code have not been pasted yet. Wait a few minutes, or ask the organisers.',
    })
  }

  /** Takes a seat at once, if only a key is needed. Throws the same ApiErrors as `giveTicket`. */
  async showKey(
    opened: OpenClaim,
    choice: Choice,
  ): Promise<{ readonly key: string; readonly member: Member }> {
    const { directory, randomBytes } = this.#given
    const person = choosePerson(opened, choice)
    const { claim_id: claimId } = opened.claim
    const key = createSecret('sk-', randomBytes)
    const { teamId } = opened.team
    const seat = { claimId, teamId, ...person, ticket: null, key, logToken: null }
    const { member } = await directory.takeSeat(seat, async () => {
      const claim = await requireClaim(this.#given.read, claimId)
      this.#requireWorking(claim)
      this.#requireOpenTeam(teamId)
      if (person.memberId === null) requireSeat(claim)
    })
    return { key: key.secret, member }
  }

  /**
   * For the script. Until it expires, a used ticket still passes: only the request that posts it shows whether this is the same laptop.
   * Throws ApiError `join_not_found`, `join_ended`, `join_refused`.
   */
  async checkTicket(ticket: string): Promise<void> {
    await this.#requireAlive(await this.#findTicket(ticket))
  }

  /**
   * Creates key and log token. While the ticket works, the same laptop gets the same ones again, so a lost reply costs nothing. The secrets
   * are derived from the ticket, the laptop's random text and our salt, and none of the three is enough alone.
   */
  async useTicket(ticket: string, laptop: string): Promise<Joined> {
    const { directory } = this.#given
    const row = await this.#findTicket(ticket)
    const laptopHash = hashSecret(laptop)
    const derive = (prefix: 'sk-' | 'aitc_'): Secret =>
      createSecret(prefix, size =>
        createHmac('sha256', Buffer.from(row.salt, 'hex'))
          .update(`${prefix}\n${ticket}\n${laptop}`)
          .digest()
          .subarray(0, size),
      )
    const [key, logToken] = [derive('sk-'), derive('aitc_')]
    if (row.laptop_hash === laptopHash) return this.#repeat(row, key, logToken)
    const seat = {
      claimId: row.claim_id,
      teamId: row.team_id,
      memberId: row.member_id,
      name: row.name,
      ticket: { ticketHash: row.ticket_hash, laptopHash },
      key,
      logToken,
    }
    const { member } = await directory.takeSeat(seat, async () => {
      const fresh = await this.#given.read.findTicket({ ticketHash: row.ticket_hash })
      await this.#requireUsable(fresh ?? row)
      if (row.member_id === null) requireSeat(await requireClaim(this.#given.read, row.claim_id))
    })
    return this.#describeJoined(member, key, logToken)
  }

  /**
   * The hash of the key created by a ticket, for the browser that showed the line: once, before the ticket expires. Throws ApiError
   * `conflict` for a line that has not been pasted yet, and the same errors as `checkTicket`.
   */
  async takeSignIn(ticket: string): Promise<string> {
    const row = await this.#findTicket(ticket)
    await this.#requireAlive(row)
    if (row.used_at === null)
      throw new ApiError('conflict', {
        message: "This line has not been run yet. Paste it in your team's repository first, then try again.",
      })
    const { write, clock } = this.#given
    const keyHash = await write.signInByTicket({ ticketHash: row.ticket_hash, now: clock() })
    if (keyHash !== null) return keyHash
    throw new ApiError('join_ended', {
      message: 'This line has already been used to sign in. Sign in with your key, which is on your laptop.',
    })
  }

  /**
   * A ticket's state: the hash of the key that it created and when, both null until then. Available for an hour after the ticket expires,
   * since the page with the line stays open. Throws the same ApiErrors as `checkTicket`.
   */
  async followTicket(ticket: string): Promise<Pick<TicketRow, 'used_at' | 'key_hash'>> {
    const row = await this.#findTicket(ticket)
    if (row.expires_at + followedMs <= this.#given.clock()) throw refuseExpired()
    return row
  }

  #repeat(row: TicketRow, key: Secret, logToken: Secret): Joined {
    const { directory, clock } = this.#given
    if (row.expires_at <= clock()) throw refuseExpired()
    const held = directory.findKey(key.hash)
    const member = directory.findMember(held?.memberId ?? '')
    if (held === undefined || member === undefined || held.blocked === true)
      throw new ApiError('join_ended', {
        message: 'The key that this line created has been deleted or blocked.',
      })
    this.#requireOpenTeam(row.team_id)
    return this.#describeJoined(member, key, logToken)
  }

  #describeJoined({ memberId, name, teamId }: Member, key: Secret, logToken: Secret): Joined {
    const { directory, addresses } = this.#given
    const { gateway, logbook } = addresses()
    return {
      team_id: teamId,
      team_alias: directory.findTeam(teamId)?.alias ?? teamId,
      member_id: memberId,
      name,
      key: key.secret,
      log_token: logToken.secret,
      gateway_url: gateway,
      logbook_url: logbook,
    }
  }

  async #findTicket(ticket: string): Promise<TicketRow> {
    const damage = ticket.startsWith('jt_')
      ? describeDamage('jt_', ticket)
      : 'is not valid. Copy the whole line.'
    if (damage !== null)
      throw new ApiError('join_not_found', { message: `The ticket in this line ${damage}` })
    const row = await this.#given.read.findTicket({ ticketHash: hashSecret(ticket) })
    if (row !== null) return row
    throw new ApiError('join_not_found', {
      message: "This ticket does not exist. Get a new line from your team's page.",
    })
  }

  async #requireUsable(row: TicketRow): Promise<void> {
    if (row.used_at !== null)
      throw new ApiError('join_ended', {
        message:
          "This line was already used, on another laptop or in another repository. Get a new line from your team's page.",
      })
    await this.#requireAlive(row)
  }

  async #requireAlive(row: TicketRow): Promise<void> {
    if (row.expires_at <= this.#given.clock()) throw refuseExpired()
    const claim = await requireClaim(this.#given.read, row.claim_id)
    // After a code expires or is renewed, its lines still work for their remaining minutes. Revoking a code stops everything.
    if (claim.end_reason === 'revoked') throw refuseEnded(claim)
    this.#requireOpenTeam(row.team_id)
  }

  #requireWorking(claim: ClaimRow): void {
    if (stateOf(claim, this.#given.clock()) !== 'works') throw refuseEnded(claim)
  }

  #requireOpenTeam(teamId: string): Team {
    const team = this.#given.directory.findTeam(teamId)
    if (team === undefined || team.blocked === true)
      throw new ApiError('join_refused', { message: 'This team is blocked. Ask the organisers.' })
    return team
  }
}

function choosePerson({ claim, freeMembers, takenMembers }: OpenClaim, { member: chosen, name }: Choice) {
  if (chosen === 'other') {
    if (name === undefined) throw refuseValue('name', 'enter your name.')
    requireSeat(claim)
    return { memberId: null, name: name.trim() }
  }
  const taken = takenMembers.find(({ memberId }) => memberId === chosen)
  if (taken !== undefined)
    throw new ApiError('conflict', {
      message: `${taken.name} has already joined. If that was someone else, or the laptop is lost, ask the organisers to free the seat.`,
    })
  const member = freeMembers.find(({ memberId }) => memberId === chosen)
  if (member === undefined) throw refuseValue('member', 'choose a name from the list.')
  return { memberId: member.memberId, name: member.name }
}

function requireSeat({ seats_left }: ClaimRow): void {
  if (seats_left > 0) return
  throw new ApiError('conflict', {
    message: 'The team is full: no seat is free for anyone who is not on its list.',
  })
}

function refuseExpired(): ApiError {
  return new ApiError('join_ended', {
    message: "This line has expired: it works for 15 minutes. Get a new one from your team's page.",
  })
}
