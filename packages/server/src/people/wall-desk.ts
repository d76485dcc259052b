// Links of walls: made with a token that is shown once, listed, removed; found by their token, and frozen when their time has come.

import type { NewWallTokenBody } from '@fairgate/contracts/console/wall.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ActBody } from '@fairgate/contracts/management/planned-act.ts'
import { toAuditRow } from '../directory/audit.ts'
import { createSecret, hashSecret } from '../directory/create-secret.ts'
import { parseZonedMoment } from '../directory/event/parse-zoned-moment.ts'
import { type ActResult, carryOutPlan, planChange } from '../directory/planned-act.ts'
import type { WallTokenRow } from '../store/statements/wall-tokens.ts'
import type { Store } from '../store/store.ts'

export type WallDeskDependencies = {
  readonly read: Pick<Store['read'], 'listWallTokens'>
  readonly write: Pick<Store['write'], 'insertWallToken' | 'deleteWallToken' | 'freezeWall'>
  /** Unix ms. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
  readonly newId: () => string
  /** Of the event. */
  readonly timeZone: () => string
}

export type WallLink = {
  readonly wallTokenId: string
  readonly tokenHash: string
  readonly name: string
  readonly showsBudgets: boolean
  /** Unix ms. */
  readonly freezeAt: number | null
  readonly frozenAt: number | null
  /** JSON: what it shows since it was frozen; null before. */
  readonly snapshot: string | null
  readonly createdAt: number
  readonly createdBy: string
}

type Acting = { readonly actor: string; readonly reason: string | null | undefined }

const mostLinks = 50
/** Other processes make and remove links too. */
const freshMs = 2000
const missedMs = 250

export class WallDesk {
  readonly #given: WallDeskDependencies
  #known: { readonly at: number; readonly links: Promise<readonly WallLink[]> } | null = null

  constructor(dependencies: WallDeskDependencies) {
    this.#given = dependencies
  }

  /** In the order of their creation. */
  async list(): Promise<readonly WallLink[]> {
    return (await this.#given.read.listWallTokens(null)).map(readLink)
  }

  /** The same, two seconds old at most: however many walls ask, the database is asked now and then. */
  recent(): Promise<readonly WallLink[]> {
    const now = this.#given.clock()
    if (this.#known !== null && now - this.#known.at < freshMs && now >= this.#known.at)
      return this.#known.links
    const links = this.list()
    const known = { at: now, links }
    this.#known = known
    // A failure is for those who ask now; the next one tries again.
    links.catch(() => {
      if (this.#known === known) this.#known = null
    })
    return links
  }

  /** Throws ApiError `conflict` (409) where there are too many already, and `invalid_request`. */
  async create(
    { name, shows_budgets: showsBudgets, freeze_at: freezeAt, reason }: NewWallTokenBody,
    actor: string,
  ): Promise<{ readonly link: WallLink; readonly token: string }> {
    const { write, clock, randomBytes, newId, timeZone } = this.#given
    const known = await this.list()
    if (known.length >= mostLinks)
      throw new ApiError('conflict', {
        message: `There are ${known.length} links of walls already. Remove one first.`,
      })
    const { secret: token, hash } = createSecret('wall_', randomBytes)
    const row: WallTokenRow = {
      wall_token_id: `wt_${newId()}`,
      token_hash: hash,
      name,
      shows_budgets: showsBudgets === true ? 1 : 0,
      freeze_at: typeof freezeAt === 'string' ? parseZonedMoment('freeze_at', freezeAt, timeZone()) : null,
      snapshot: null,
      frozen_at: null,
      created_at: clock(),
      created_by: actor,
    }
    const link = readLink(row)
    await write.insertWallToken({
      token: row,
      audit: this.#audit('wall_token.create', { actor, reason }, link, {
        before: null,
        after: stateOf(link),
      }),
    })
    this.#known = null
    return { link, token }
  }

  /** Whoever shows it sees nothing new within seconds. Throws ApiError `wall_token_not_found`. */
  async remove(wallTokenId: string, act: ActBody, actor: string): Promise<ActResult<WallLink>> {
    const link = (await this.list()).find(each => each.wallTokenId === wallTokenId)
    if (link === undefined) throw notFound('wall_token_id')
    const changes = planChange('wall_token.name', wallTokenId, link.name, null)
    return await carryOutPlan({ changes, warnings: [], basis: [] }, act, async () => {
      const acting = { actor, reason: act.reason }
      const audit = this.#audit('wall_token.remove', acting, link, { before: stateOf(link), after: null })
      if (!(await this.#given.write.deleteWallToken({ wallTokenId, audit }))) throw notFound('wall_token_id')
      this.#known = null
      return link
    })
  }

  /** Throws ApiError `wall_token_not_found`. Rejects with StoreUnavailable. */
  async find(token: string): Promise<WallLink> {
    const hash = hashSecret(token)
    const find = async () => (await this.recent()).find(({ tokenHash }) => tokenHash === hash)
    const known = await find()
    if (known !== undefined) return known
    // Another process may have made it just now. Who guesses makes no more than four look-ups a second.
    if (this.#known !== null && this.#given.clock() - this.#known.at >= missedMs) this.#known = null
    const link = await find()
    if (link === undefined) throw notFound(null)
    return link
  }

  /** Keeps what the wall shows from now on; of several that try, the first counts. Answers the link as it is then. */
  async freeze(link: WallLink, snapshot: string): Promise<WallLink> {
    const { write, clock } = this.#given
    await write.freezeWall({ wallTokenId: link.wallTokenId, snapshot, frozenAt: clock() })
    this.#known = null
    return (await this.recent()).find(({ wallTokenId }) => wallTokenId === link.wallTokenId) ?? link
  }

  #audit(
    action: string,
    { actor, reason }: Acting,
    { wallTokenId }: WallLink,
    states: { readonly before: object | null; readonly after: object | null },
  ) {
    const acting = { now: this.#given.clock(), actor, reason }
    return toAuditRow(acting, { action, target: wallTokenId, ...states })
  }
}

function notFound(param: string | null): ApiError {
  return new ApiError('wall_token_not_found', param === null ? {} : { param })
}

function stateOf({ name, showsBudgets, freezeAt }: WallLink): object {
  return { name, shows_budgets: showsBudgets, freeze_at: freezeAt }
}

function readLink(row: WallTokenRow): WallLink {
  return {
    wallTokenId: row.wall_token_id,
    tokenHash: row.token_hash,
    name: row.name,
    showsBudgets: row.shows_budgets !== 0,
    freezeAt: row.freeze_at,
    frozenAt: row.frozen_at,
    snapshot: row.snapshot,
    createdAt: row.created_at,
    createdBy: row.created_by,
  }
}
