// Claim links of judges: created, renewed and revoked by organisers and the head judge, used to sign in, and checked at each request of their
// sessions.
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import { isoTime } from '@fairgate/contracts/iso-time.ts'
import type { JudgeLink, NewJudgeCodesBody, RevokeJudgeCodeQuery } from '@fairgate/contracts/judging/codes.ts'
import { toAuditRow } from '../directory/audit.ts'
import { hashSecret } from '../directory/create-secret.ts'
import { parseKeyDuration } from '../directory/parse-key-duration.ts'
import { type ActionResult, planChange } from '../directory/planned-action.ts'
import { parseMember } from '../directory/refusals.ts'
import { judgeActorPrefix } from '../people/admin-key-service.ts'
import { createCode, isWholeCode, normaliseCode } from '../people/claim-code.ts'
import type { World } from '../world/world.ts'
import { type JudgingLog, type ReadState, requireJudge } from './judging-log.ts'
import type { Judge, JudgeCode } from './judging-records.ts'
import type { Link } from './judging-state.ts'

export type JudgeLinksDependencies = Pick<World, 'clock' | 'randomBytes'> & { readonly log: JudgingLog }

/** A new link with its code, which is nowhere else. */
export type MadeLink = { readonly judge: Judge; readonly code: string; readonly expiresAt: number }

/** A judge who is signed in. */
export type PanelJudge = {
  readonly judgeId: string
  /** The name that the record and the audit have. No admin key can have it. */
  readonly actor: string
  /** Stored in the judge's sessions: the digest of the code, so that a new link ends the sessions of the old one. */
  readonly credential: string
  readonly isBlind: boolean
}

const usualDuration = '7d'
const credentialPrefix = 'judge:'

export class JudgeLinks {
  readonly #given: JudgeLinksDependencies

  constructor(given: JudgeLinksDependencies) {
    this.#given = given
  }

  /**
   * For `all`: each judge who is there and has no working link. A judge who is named gets a new link in any case. Throws ApiError
   * `judge_not_found`, `invalid_request`, and `conflict` for a judge who is absent.
   */
  async create(body: NewJudgeCodesBody, actor: string): Promise<ActionResult<readonly MadeLink[]>> {
    const { log, randomBytes } = this.#given
    const duration = body.duration ?? usualDuration
    const durationMs = parseMember('duration', () => parseKeyDuration(duration))
    return await log.act(body, actor, (state, acting) => {
      const { now } = acting
      const judges = (
        body.judges === 'all'
          ? state.judges().filter(judge => !judge.isAbsent && !works(state.findLink(judge.judgeId), now))
          : [...new Set(body.judges)].map(judgeId => requirePresent(state, judgeId))
      ).toSorted((a, b) => a.name.localeCompare(b.name, 'en'))
      const expiresAt = now + durationMs
      const links = judges.map(judge => {
        const code = createCode(randomBytes)
        const body: JudgeCode = {
          judgeId: judge.judgeId,
          codeHash: hashSecret(code),
          codeName: code.slice(-4),
          expiresAt,
        }
        return { judge, code, body, before: state.findLink(judge.judgeId) }
      })
      return {
        plan: {
          changes: links.flatMap(({ judge, before }) =>
            planChange('link', judge.name, nameLink(before, now), `works for ${duration}`),
          ),
        },
        records: links.map(({ body }) => ({ kind: 'code', body }) as const),
        audit: links.map(({ judge, body, before }) =>
          toAuditRow(acting, {
            action: 'judging.code',
            target: judge.judgeId,
            before: before === undefined ? null : describeLink(before, now),
            after: describeLink({ ...body, isRevoked: false, firstUsedAt: null }, now),
          }),
        ),
        made: links.map(({ judge, code }) => ({ judge, code, expiresAt })),
      }
    })
  }

  /** Ends the link and all its sessions. Revoking again changes nothing. Throws ApiError `judge_not_found`. */
  async revoke(
    judgeId: string,
    query: RevokeJudgeCodeQuery,
    actor: string,
  ): Promise<ActionResult<undefined>> {
    return await this.#given.log.act(query, actor, (state, acting) => {
      const { now } = acting
      const { name } = requireJudge(state, judgeId)
      const link = state.findLink(judgeId)
      if (link === undefined || !works(link, now))
        return { plan: { changes: [] }, records: [], audit: [], made: undefined }
      return {
        plan: { changes: planChange('link', name, nameLink(link, now), 'revoked') },
        records: [{ kind: 'code_revoked', body: { judgeId } }],
        audit: [
          toAuditRow(acting, {
            action: 'judging.code_revoke',
            target: judgeId,
            before: describeLink(link, now),
            after: describeLink({ ...link, isRevoked: true }, now),
          }),
        ],
        made: undefined,
      }
    })
  }

  /** Throws ApiError `admin_unauthorized` that says whether the code is mistyped, unknown or ended. */
  async signIn(typed: string): Promise<PanelJudge> {
    const code = normaliseCode(typed)
    if (!isWholeCode(code))
      throw refuse(
        'This code is mistyped or cut off: its last character does not match the others. Check it again.',
      )
    const codeHash = hashSecret(code)
    const found = this.#require(await this.#given.log.state(), codeHash)
    const { judgeId, actor } = found
    // The link may be replaced meanwhile; then the session that follows is refused at its first request.
    await this.#given.log.change(actor, null, state => ({
      records: state.findLink(judgeId)?.firstUsedAt === null ? [{ kind: 'arrived', body: { judgeId } }] : [],
      audit: [],
      made: undefined,
    }))
    return found
  }

  /** The judge of a session; null for a session that did not begin with a claim link. Throws ApiError `admin_unauthorized` with the reason. */
  async find(credential: string): Promise<PanelJudge | null> {
    if (!credential.startsWith(credentialPrefix)) return null
    return this.#require(await this.#given.log.state(), credential.slice(credentialPrefix.length))
  }

  #require(state: ReadState, codeHash: string): PanelJudge {
    const judge = state.findByCode(codeHash)
    const link = state.findLink(judge?.judgeId ?? '')
    if (judge === undefined || link === undefined)
      throw refuse('No judge has this code. Ask the organisers for yours.')
    const why = explainEnd(judge, link, codeHash, this.#given.clock())
    if (why !== null) throw refuse(`${why} Ask the organisers.`)
    return {
      judgeId: judge.judgeId,
      actor: `${judgeActorPrefix}${judge.name}`,
      credential: `${credentialPrefix}${codeHash}`,
      isBlind: state.isBlind(),
    }
  }
}

/** Member `link` of a judge. `now`: Unix ms. */
export function describeLink(link: Link | undefined, now: number): JudgeLink {
  if (link === undefined) return { state: 'none', code_name: null, expires_at: null, first_used_at: null }
  return {
    state: link.isRevoked ? 'revoked' : link.expiresAt <= now ? 'expired' : 'works',
    code_name: link.codeName,
    expires_at: isoTime(link.expiresAt),
    first_used_at: isoTime(link.firstUsedAt),
  }
}

function works(link: Link | undefined, now: number): boolean {
  return describeLink(link, now).state === 'works'
}

/** As previews name it: a preview is outdated once there is another code. */
function nameLink(link: Link | undefined, now: number): string {
  const { state, code_name: codeName } = describeLink(link, now)
  return codeName === null ? state : `${state}, …${codeName}`
}

function requirePresent(state: ReadState, judgeId: string): Judge {
  const judge = requireJudge(state, judgeId)
  if (!judge.isAbsent) return judge
  throw new ApiError('conflict', {
    param: 'judges',
    message: `"${judge.name}" is marked as absent and gets no claim link.`,
  })
}

/** Why a code that a judge has or had does not work; null if it works. */
function explainEnd(judge: Judge, link: Link, codeHash: string, now: number): string | null {
  if (judge.isAbsent) return 'You are marked as absent, and your teams went to other judges.'
  if (link.codeHash !== codeHash) return 'This claim link was replaced: there is a newer one.'
  const { state } = describeLink(link, now)
  if (state === 'works') return null
  return state === 'revoked' ? 'This claim link was revoked.' : 'This claim link has expired.'
}

function refuse(message: string): ApiError {
  return new ApiError('admin_unauthorized', { message, headers: { 'www-authenticate': 'Bearer' } })
}
