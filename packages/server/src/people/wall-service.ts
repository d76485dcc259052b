// Wall links: created with a token that is shown once, listed, removed, found by their token, and frozen at a given time.

import type { NewWallTokenBody } from '@fairgate/contracts/console/wall.ts'
import { ApiError } from '@fairgate/contracts/errors/api-error.ts'
import type { ActionBody } from '@fairgate/contracts/management/planned-action.ts'
import { auditOf } from '../directory/audit.ts'
import { createSecret, hashSecret } from '../directory/create-secret.ts'
import { parseZonedMoment } from '../directory/parse-times.ts'
import { type ActionResult, carryOutPlan, planChange } from '../directory/planned-action.ts'
import type { WallTokenRow } from '../store/statements/wall-tokens.ts'
import type { Store } from '../store/store.ts'
import { FreshValue } from '../world/fresh-value.ts'
import type { World } from '../world/world.ts'

export type WallServiceDependencies = Pick<World, 'clock' | 'randomBytes' | 'newId'> & {
  readonly read: Pick<Store['read'], 'listWallTokens'>
  readonly write: Pick<Store['write'], 'insertWallToken' | 'deleteWallToken' | 'freezeWall'>
  /** The event's settings. */
  readonly timeZone: () => string
}

export type WallLink = WallTokenRow

const maxLinks = 50
/** Other processes also create and remove links. */
const freshMs = 2000
const missedMs = 250

export class WallService {
  readonly #given: WallServiceDependencies
  readonly #known: FreshValue<readonly WallLink[]>

  constructor(dependencies: WallServiceDependencies) {
    this.#given = dependencies
    this.#known = new FreshValue(() => this.list(), dependencies.clock, freshMs)
  }

  /** In order of creation. */
  list(): Promise<readonly WallLink[]> {
    return this.#given.read.listWallTokens(null)
  }

  /** The same, at most two seconds old, so that many walls cause few queries. */
  recent(): Promise<readonly WallLink[]> {
    return this.#known.read()
  }

  /** Throws ApiError `conflict` (409) if there are too many already, and `invalid_request`. */
  async create(
    { name, shows_budgets: showsBudgets, freeze_at: freezeAt, reason }: NewWallTokenBody,
    actor: string,
  ): Promise<{ readonly link: WallLink; readonly token: string }> {
    const { write, clock, randomBytes, newId, timeZone } = this.#given
    const known = await this.list()
    if (known.length >= maxLinks)
      throw new ApiError('conflict', {
        message: `There are ${known.length} wall links already. Remove one first.`,
      })
    const { secret: token, hash } = createSecret('wall_', randomBytes)
    const link: WallLink = {
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
    const audit = auditLink({ now: link.created_at, actor, reason }, 'wall_token.create', null, link)
    await write.insertWallToken({ token: link, audit })
    this.#known.forget()
    return { link, token }
  }

  /** Walls that show it stop updating within seconds. Throws ApiError `wall_token_not_found`. */
  async remove(wallTokenId: string, action: ActionBody, actor: string): Promise<ActionResult<WallLink>> {
    const link = (await this.list()).find(each => each.wall_token_id === wallTokenId)
    if (link === undefined) throw notFound('wall_token_id')
    const changes = planChange('wall_token.name', wallTokenId, link.name, null)
    return await carryOutPlan({ changes }, action, async () => {
      const acting = { now: this.#given.clock(), actor, reason: action.reason }
      const audit = auditLink(acting, 'wall_token.remove', link, null)
      if (!(await this.#given.write.deleteWallToken({ id: wallTokenId, audit })))
        throw notFound('wall_token_id')
      this.#known.forget()
      return link
    })
  }

  /** Throws ApiError `wall_token_not_found`. Rejects with StoreUnavailable. */
  async find(token: string): Promise<WallLink> {
    const hash = hashSecret(token)
    const isMeant = ({ token_hash }: WallLink) => token_hash === hash
    // Another process may have created it just now. Guessing causes at most four lookups a second.
    const link = (await this.recent()).find(isMeant) ?? (await this.#known.read(missedMs)).find(isMeant)
    if (link === undefined) throw notFound(null)
    return link
  }

  /** Stores what the wall shows from now on; if multiple processes try, the first wins. Returns the link as it is then. */
  async freeze(link: WallLink, snapshot: string): Promise<WallLink> {
    const { write, clock } = this.#given
    const { wall_token_id: wallTokenId } = link
    await write.freezeWall({ wallTokenId, snapshot, frozenAt: clock() })
    this.#known.forget()
    return (await this.recent()).find(each => each.wall_token_id === wallTokenId) ?? link
  }
}

function notFound(param: string | null): ApiError {
  return new ApiError('wall_token_not_found', param === null ? {} : { param })
}

const auditLink = auditOf<WallLink>(stateOf, ({ wall_token_id }) => ({ target: wall_token_id }))

function stateOf({ name, shows_budgets, freeze_at }: WallLink): object {
  return { name, shows_budgets: shows_budgets !== 0, freeze_at }
}
